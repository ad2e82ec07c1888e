import { type Claim, type Claims, priorities } from './claims.ts';

/** Refreshes and renewals leave some slots free for other calls. */
export const isLow = ({ priority }: Claim): boolean =>
  priority === 'refresh' || priority === 'renewal';

/**
 * The calls of one credential in the order in which they are sent, each with its best claim: by priority first. Reads with
 * nothing to show take turns between operations, so that a small operation does not wait behind a large one. What can be
 * shown meanwhile is renewed the oldest first.
 *
 * @param sentFor how many calls each operation has had sent
 */
export const inOrder = <Each extends { readonly claims: Claims }>(
  waiting: Iterable<Each>,
  sentFor: WeakMap<object, number>,
): readonly { readonly waiter: Each; readonly claim: Claim }[] => {
  const turns = new Map<object, number>();
  const turnOf = (claim: Claim): number => {
    if (claim.priority === 'write') return 0;
    if (isLow(claim)) return claim.shownReadAt ?? 0;
    const turn = turns.get(claim.operation) ?? sentFor.get(claim.operation) ?? 0;
    turns.set(claim.operation, turn + 1);
    return turn;
  };
  const placed = [...waiting]
    .flatMap((waiter) =>
      waiter.claims.list().map((claim) => {
        return { waiter, claim, priority: priorities.indexOf(claim.priority) };
      }),
    )
    // Sorting keeps the order of arrival among equals, and turns are counted in the order of priority.
    .sort((one, other) => one.priority - other.priority)
    .map((each) => ({ ...each, turn: turnOf(each.claim) }))
    .sort((one, other) => one.priority - other.priority || one.turn - other.turn);
  const seen = new Set<Each>();
  return placed.filter(({ waiter }) => !seen.has(waiter) && seen.add(waiter));
};

import { type Claim, type Claims, type Priority, priorities } from './claims.ts';

/** The most calls of an operation whose older answers are read anew at once. */
const smallPage = 2;

/** A call that waits, with the best of its claims. */
export interface Ranked<Each> {
  readonly waiter: Each;
  readonly claim: Claim;
  /** Whether it leaves some slots free for others. */
  readonly isLow: boolean;
  /** Whether the claim's operation may not make one more call for it. */
  readonly isOverBudget: boolean;
}

interface Facts {
  /** How many calls each operation has had sent. */
  readonly sentFor: WeakMap<object, number>;
  /** Operations that cannot be answered whole in their time. */
  readonly late: WeakSet<object>;
  /** What was read before then is read anew at once for a small page, in milliseconds of `performance.now()`. */
  readonly oldBefore: number;
}

interface Placed<Each> extends Ranked<Each> {
  readonly rank: number;
  /** Its place among equals. */
  readonly turn: number;
}

const compare = <Each>(one: Placed<Each>, other: Placed<Each>): number =>
  Number(one.isLow) - Number(other.isLow) || one.rank - other.rank || one.turn - other.turn;

const rankOf = (priority: Priority): number => priorities.indexOf(priority);

/** A read with an older answer goes by the age of that answer, whether a request waits for it or not. */
const lowRankOf = (priority: Priority): number =>
  rankOf(priority === 'refresh' ? 'renewal' : priority);

/**
 * The calls of one credential in the order in which they are sent, each with its best claim. What leaves some slots free for
 * others comes last: what no request waits for, deferred parts, the reads of an operation that cannot be whole in its time or
 * has made its calls, and refreshes but for those of small pages. Among equals the priority decides. Reads with nothing to show take turns
 * between operations, so that a small operation does not wait behind a large one. What can be shown meanwhile is read anew
 * the oldest first.
 */
export const inOrder = <Each extends { readonly claims: Claims }>(
  waiting: Iterable<Each>,
  { sentFor, late, oldBefore }: Facts,
): readonly Ranked<Each>[] => {
  const all = [...waiting].flatMap((waiter) =>
    waiter.claims.list().map((claim) => ({ waiter, claim, priority: claim.priority })),
  );
  const callsOf = new Map<object, number>();
  for (const { claim } of all) {
    const before = callsOf.get(claim.operation) ?? sentFor.get(claim.operation) ?? 0;
    callsOf.set(claim.operation, before + 1);
  }
  // Nothing is read twice before everything that is wanted was read once.
  const isFilling = all.some(({ priority }) => priority === 'wanted');
  const isLow = ({ claim, priority }: (typeof all)[number]): boolean => {
    const { operation, shownReadAt = Infinity } = claim;
    if (priority === 'write') return false;
    if (priority === 'read') return late.has(operation);
    if (priority !== 'refresh' || isFilling) return true;
    return shownReadAt >= oldBefore || (callsOf.get(operation) ?? 0) > smallPage;
  };
  const turns = new Map<object, number>();
  const turnOf = ({ claim, priority }: (typeof all)[number]): number => {
    if (priority === 'write') return 0;
    if (priority !== 'read' && priority !== 'deferred') return claim.shownReadAt ?? claim.since;
    const turn = turns.get(claim.operation) ?? sentFor.get(claim.operation) ?? 0;
    turns.set(claim.operation, turn + 1);
    return turn;
  };
  const seen = new Set<Each>();
  const counted = new Map<object, number>();
  return (
    all
      .map((each) => {
        const low = isLow(each);
        return { ...each, isLow: low, rank: (low ? lowRankOf : rankOf)(each.priority) };
      })
      // Sorting keeps the order of arrival among equals, and turns are counted in the order of priority.
      .sort((one, other) => one.rank - other.rank)
      .map((each) => ({ ...each, turn: turnOf(each), isOverBudget: false }))
      .sort(compare)
      .filter(({ waiter }) => !seen.has(waiter) && seen.add(waiter))
      .map((each) => {
        const { operation, budget } = each.claim;
        const before = counted.get(operation) ?? 0;
        counted.set(operation, before + 1);
        if (before < budget.left) return each;
        const { since: turn } = each.claim;
        return { ...each, isOverBudget: true, isLow: true, rank: rankOf('wanted'), turn };
      })
      .sort(compare)
  );
};

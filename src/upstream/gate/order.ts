import { type Priority, priorities } from '../priority.ts';
import type { Claim, Claims } from './claims.ts';

/** How many calls an operation may have for its refreshes to count as urgent. */
const smallPage = 2;

/** A waiting call with its best claim. */
export interface Ranked<Each> {
  readonly waiter: Each;
  readonly claim: Claim;
  /** Whether the call has to leave some slots free for others. */
  readonly isLow: boolean;
  /** Whether the budget of the claim's operation has no call left for it. */
  readonly isOverBudget: boolean;
}

interface Facts {
  /** How many calls were sent for each operation. */
  readonly sentFor: WeakMap<object, number>;
  /** Operations that cannot be answered completely in their time. */
  readonly late: WeakSet<object>;
  /** For a small operation, refreshes of answers from before then are urgent, in milliseconds of `performance.now()`. */
  readonly oldBefore: number;
}

interface Placed<Each> extends Ranked<Each> {
  readonly rank: number;
  /** The place among calls of the same rank. */
  readonly turn: number;
}

const compare = <Each>(one: Placed<Each>, other: Placed<Each>): number =>
  Number(one.isLow) - Number(other.isLow) || one.rank - other.rank || one.turn - other.turn;

const rankOf = (priority: Priority): number => priorities.indexOf(priority);

/** Refreshes and renewals have the same rank, so that only the age of the older answer decides between them. */
const lowRankOf = (priority: Priority): number =>
  rankOf(priority === 'refresh' ? 'renewal' : priority);

/**
 * The calls of one credential in the order in which they are sent, each with its best claim. Calls that leave some slots
 * free come last: calls without a waiting request, deferred parts, the reads of an operation that is late or has used up
 * its budget, and all refreshes except urgent ones. Then the priority decides. Reads with nothing to show take turns between
 * operations, so that a small operation does not wait behind a large one. Of the older answers, the oldest is renewed first.
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
  // Nothing is read twice before all wanted reads were read once.
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
      // The sort is stable, so equal calls keep their order of arrival. Turns are counted in the order of priority.
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

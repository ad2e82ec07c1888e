import { type Priority, priorities } from '../priority.ts';
import type { Claim, Claims } from './claims.ts';

/** The most calls of an operation whose refreshes can be urgent. */
const smallPage = 2;

/** A waiting call with its most urgent claim. */
export interface Ranked<Each> {
  readonly waiter: Each;
  readonly claim: Claim;
  /** Whether the call must leave some slots free for others. */
  readonly isLow: boolean;
  /** Whether the budget of the claim's operation is used up by the calls before this one. */
  readonly isOverBudget: boolean;
}

interface Facts {
  /** How many calls were sent for each operation. */
  readonly sentFor: WeakMap<object, number>;
  /** Operations that cannot be answered completely in their time. */
  readonly late: WeakSet<object>;
  /** For a small operation, the refresh of an answer from before this time of `performance.now()` is urgent. */
  readonly oldBefore: number;
}

interface Ordered<Each> extends Ranked<Each> {
  readonly rank: number;
  /** The order of calls of the same rank: the lowest comes first. */
  readonly turn: number;
}

/** One operation with all its calls, sent or waiting. */
interface Operation {
  calls: number;
  /** The turns of its next read and of its next deferred read. Deferred reads come after all others. */
  readonly next: { read: number; deferred: number };
}

/** One claim on a waiting call. */
interface Claimed<Each> {
  readonly waiter: Each;
  readonly claim: Claim;
  readonly priority: Priority;
  readonly operation: Operation;
}

const compare = <Each>(one: Ordered<Each>, other: Ordered<Each>): number =>
  Number(one.isLow) - Number(other.isLow) || one.rank - other.rank || one.turn - other.turn;

const rankOf = (priority: Priority): number => priorities.indexOf(priority);

/** Refreshes and renewals have the same rank, so that only the age of the older answer decides between them. */
const lowRankOf = (priority: Priority): number =>
  rankOf(priority === 'refresh' ? 'renewal' : priority);

const claimsOn = <Each extends { readonly claims: Claims }>(
  waiting: Iterable<Each>,
  sentFor: Facts['sentFor'],
): readonly Claimed<Each>[] => {
  const operations = new Map<object, Operation>();
  const all: Claimed<Each>[] = [];
  for (const waiter of waiting) {
    for (const claim of waiter.claims) {
      const { priority } = claim;
      const sent = sentFor.get(claim.operation) ?? 0;
      const known = operations.get(claim.operation);
      const operation = known ?? { calls: sent, next: { read: sent, deferred: sent } };
      operations.set(claim.operation, operation);
      operation.calls += 1;
      if (priority === 'read') operation.next.deferred += 1;
      all.push({ waiter, claim, priority, operation });
    }
  }
  return all;
};

/** Moves calls that their operations' budgets do not allow to the reads in the background. */
const withinBudget = <Each>(calls: Ordered<Each>[]): readonly Ordered<Each>[] => {
  const counted = new Map<object, number>();
  let areAll = true;
  for (const [index, call] of calls.entries()) {
    const { operation, budget, since } = call.claim;
    const before = counted.get(operation) ?? 0;
    counted.set(operation, before + 1);
    if (before < budget.left) continue;
    areAll = false;
    const last = { isOverBudget: true, isLow: true, rank: rankOf('wanted'), turn: since };
    calls[index] = { ...call, ...last };
  }
  return areAll ? calls : calls.sort(compare);
};

/**
 * The calls of one credential in the order in which they are sent, each with its most urgent claim. Calls that must
 * leave some slots free come last: calls without a waiting request, deferred parts, the reads of an operation that is
 * late or has used up its budget, and all refreshes except urgent ones. Then the priority decides. Reads with nothing
 * to show take turns between operations, so that a small operation does not wait behind a large one. Of the older
 * answers, the oldest is renewed first.
 */
export const inOrder = <Each extends { readonly claims: Claims }>(
  waiting: Iterable<Each>,
  { sentFor, late, oldBefore }: Facts,
): readonly Ranked<Each>[] => {
  const claims = claimsOn(waiting, sentFor);
  // No read is renewed with urgency while others in the background have nothing to show.
  const isFilling = claims.some(({ priority }) => priority === 'wanted');

  const isLow = ({ claim, priority, operation }: Claimed<Each>): boolean => {
    if (priority === 'write') return false;
    if (priority === 'read') return late.has(claim.operation);
    if (priority !== 'refresh' || isFilling) return true;
    const { shownReadAt = Infinity } = claim;
    return shownReadAt >= oldBefore || operation.calls > smallPage;
  };

  const takeTurn = ({ claim, priority, operation: { next } }: Claimed<Each>): number => {
    if (priority === 'write') return 0;
    if (priority !== 'read' && priority !== 'deferred') return claim.shownReadAt ?? claim.since;
    const turn = next[priority];
    next[priority] += 1;
    return turn;
  };

  const best = new Map<Each, Ordered<Each>>();
  for (const claimed of claims) {
    const { waiter, claim, priority } = claimed;
    const low = isLow(claimed);
    const rank = (low ? lowRankOf : rankOf)(priority);
    const turn = takeTurn(claimed);
    const ordered = { waiter, claim, isLow: low, rank, turn, isOverBudget: false };
    const known = best.get(waiter);
    if (!known || compare(ordered, known) < 0) best.set(waiter, ordered);
  }
  // The sort is stable, so equal calls keep their order of arrival.
  return withinBudget([...best.values()].sort(compare));
};

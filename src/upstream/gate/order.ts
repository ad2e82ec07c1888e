import { type Priority, priorities } from '../priority.ts';
import type { Claim, Claims } from './claims.ts';
import type { Slots, ToolTurns, Turns } from './tool-turns.ts';

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
  /** Whether it is the call of a tool that has waited longest. */
  readonly isLongest: boolean;
  /** Whether that call has waited so long that it comes before all reads. */
  readonly isOverdue: boolean;
  /** Whether calls of tools come before it, some of which let it pass. */
  readonly isBehind: boolean;
  /** The order of calls of the same rank: the lowest comes first. */
  readonly turn: number;
}

interface Facts {
  /** How many calls were sent for each operation. */
  readonly sentFor: WeakMap<object, number>;
  /** Operations that cannot be answered completely in their time. */
  readonly late: WeakSet<object>;
  /** For a small operation, the refresh of an answer from before this time of `performance.now()` is urgent. */
  readonly oldBefore: number;
  readonly slots: Slots;
  readonly tools: ToolTurns;
}

interface Ordered<Each> extends Ranked<Each> {
  readonly rank: number;
}

/** One operation with all its calls, sent or waiting. */
interface Operation {
  calls: number;
  /** Deferred reads come after all others. */
  readonly next: Turns;
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

/** What has the rank of another priority: there, turns or the age of the older answer decide. */
const sameRank: Partial<Record<Priority, Priority>> = { refresh: 'renewal', tool: 'deferred' };
const lowRankOf = (priority: Priority): number => rankOf(sameRank[priority] ?? priority);

/** Among which reads the operation of a call takes turns; undefined if its age decides. */
const turnsAmong = (priority: Priority): keyof Turns | undefined => {
  const among = sameRank[priority] ?? priority;
  return among === 'read' || among === 'deferred' ? among : undefined;
};

/** The least turns of the operations that wait, without those of tools. */
const leastOf = <Each>(claims: readonly Claimed<Each>[]): Turns => {
  const least = { read: Infinity, deferred: Infinity };
  for (const { claim, priority, operation } of claims) {
    const among = claim.isOfTool ? undefined : turnsAmong(priority);
    if (among) least[among] = Math.min(least[among], operation.next[among]);
  }
  return least;
};

const claimsOn = <Each extends { readonly claims: Claims }>(
  waiting: Iterable<Each>,
  { sentFor, tools }: Pick<Facts, 'sentFor' | 'tools'>,
): readonly Claimed<Each>[] => {
  const operations = new Map<object, Operation>();
  const ofTools: Operation = { calls: 0, next: { read: 0, deferred: 0 } };
  const all: Claimed<Each>[] = [];
  for (const waiter of waiting) {
    for (const claim of waiter.claims) {
      const { priority } = claim;
      if (claim.isOfTool) {
        ofTools.calls += 1;
        all.push({ waiter, claim, priority, operation: ofTools });
        continue;
      }
      const sent = sentFor.get(claim.operation) ?? 0;
      const known = operations.get(claim.operation);
      const operation = known ?? { calls: sent, next: { read: sent, deferred: sent } };
      operations.set(claim.operation, operation);
      operation.calls += 1;
      if (priority === 'read') operation.next.deferred += 1;
      all.push({ waiter, claim, priority, operation });
    }
  }
  if (ofTools.calls > 0) Object.assign(ofTools.next, tools.beside(leastOf(all)));
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

/** The call of a tool that has waited longest. */
const longestOf = <Each>(claims: readonly Claimed<Each>[]): Claim | undefined => {
  let longest: Claim | undefined;
  for (const { claim } of claims) {
    if (claim.isOfTool && claim.since < (longest?.since ?? Infinity)) longest = claim;
  }
  return longest;
};

/**
 * The calls of one credential in the order in which they are sent, each with its most urgent claim. Calls that must
 * leave some slots free come last: calls without a waiting request, deferred parts, the reads of an operation that is
 * late or has used up its budget, and all refreshes except urgent ones. Then the priority decides. Reads with nothing
 * to show take turns between operations, so that a small operation does not wait behind a large one. Of the older
 * answers, the oldest is renewed first. Calls of tools come last too: writes before polls, reads in turn with deferred
 * reads. While they wait, each third slot is for what is behind them. Once in a window the call of a tool that has waited
 * longest comes before all reads.
 */
export const inOrder = <Each extends { readonly claims: Claims }>(
  waiting: Iterable<Each>,
  facts: Facts,
): readonly Ranked<Each>[] => {
  const { late, oldBefore, slots, tools } = facts;
  const claims = claimsOn(waiting, facts);
  // No read is renewed with urgency while others in the background, or tools, have nothing to show.
  const isFilling = claims.some(({ priority, claim }) => priority === 'wanted' || claim.isOfTool);
  const longest = longestOf(claims);
  const overdue = longest && tools.isOverdue(longest.since, slots) ? longest : undefined;

  const isLow = ({ claim, priority, operation }: Claimed<Each>): boolean => {
    if (priority === 'write' || claim === overdue) return false;
    if (claim.isOfTool) return true;
    if (priority === 'read') return late.has(claim.operation);
    if (priority !== 'refresh' || isFilling) return true;
    const { shownReadAt = Infinity } = claim;
    return shownReadAt >= oldBefore || operation.calls > smallPage;
  };

  const takeTurn = ({ claim, priority, operation: { next } }: Claimed<Each>): number => {
    if (priority === 'write') return 0;
    if (claim === overdue) return -1;
    const among = turnsAmong(priority);
    if (!among) return claim.shownReadAt ?? claim.since;
    const turn = next[among];
    next[among] += 1;
    return turn;
  };

  const best = new Map<Each, Ordered<Each>>();
  for (const claimed of claims) {
    const { waiter, claim, priority } = claimed;
    const low = isLow(claimed);
    const isOverdue = claim === overdue;
    const rank = (low ? lowRankOf : rankOf)(isOverdue ? 'read' : priority);
    const turn = takeTurn(claimed);
    const ordered = {
      ...{ waiter, claim, isLow: low, rank, turn, isOverBudget: false, isBehind: false },
      ...{ isLongest: claim === longest, isOverdue },
    };
    const known = best.get(waiter);
    if (!known || compare(ordered, known) < 0) best.set(waiter, ordered);
  }
  // The sort is stable, so equal calls keep their order of arrival.
  const ordered = withinBudget([...best.values()].sort(compare));
  const tool = ordered.find(({ claim }) => claim.isOfTool);
  if (!tool) return ordered;
  const own = lowRankOf(tool.claim.priority);
  return tools.lettingPass(ordered, ({ isLow, rank }) => isLow && rank > own);
};

import { failed } from '../call.ts';
import { UpstreamError } from '../error.ts';
import { isBackground } from '../priority.ts';
import type { Claim, Claims } from './claims.ts';
import { inOrder, type Ranked } from './order.ts';
import type { PacedCall } from './paced-call.ts';
import { type Slots, ToolTurns } from './tool-turns.ts';

/** A waiting call and the claims on it. */
interface Waiting {
  readonly call: PacedCall;
  readonly claims: Claims;
  /** Whether Redis is being asked for a slot for it: until the answer, the slot counts as in use. */
  readonly isAsking: boolean;
}

/** A waiting call, and when it is sent unless another call comes, in milliseconds of `performance.now()`. */
export interface PlannedTurn<Each> extends Ranked<Each> {
  readonly at: number;
}

export interface PlannerOptions {
  readonly windowMs: number;
  /** How long a request may wait for a slot, in milliseconds. Deferred parts and background reads have no limit. */
  readonly waitMs: number;
  /** Whether calls are counted. If not, calls beyond an operation's budget are refused, not delayed. */
  readonly isPaced: boolean;
  /** How many slots calls of low rank must leave free; see `inOrder`. */
  readonly reserve: number;
  /** When the gateway, once stopped, sends no more calls, in milliseconds of `performance.now()`; else `Infinity`. */
  readonly endsAt: () => number;
}

/** Plans when the calls of one credential are sent. */
export interface Planner {
  /**
   * Returns the calls in the order in which they are sent. Refuses claims whose call would be sent too late, or whose
   * operation has no budget left; the error says when the call would be sent.
   */
  plan<Each extends Waiting>(waiting: Iterable<Each>, slots: Slots): readonly PlannedTurn<Each>[];
  /** Notes that a call was sent for a claim. */
  sent(turn: Omit<Ranked<unknown>, 'waiter'>): void;
}

/**
 * How long an event of a stream waits if it cannot be complete in time, in milliseconds: later events bring the rest.
 */
const followedUpMs = 1000;

type Reason = 'no-slot' | 'over-budget' | 'stopping';

/** When a caller may retry after a refusal by a gateway that stops, in seconds: another replica answers then. */
const stoppingRetrySeconds = 1;

/** Inserts a number into a list in ascending order. */
const insert = (sorted: number[], value: number): void => {
  sorted.splice(sorted.findLastIndex((each) => each <= value) + 1, 0, value);
};

/** If the call has failed before, the error tells that failure, which says more than why the call is not sent again. */
const refusalOf = (
  call: PacedCall,
  reason: Reason,
  at: number,
  isReadOn: boolean,
): UpstreamError => {
  const wait = reason === 'stopping' ? { retryAfterSeconds: stoppingRetrySeconds } : {};
  const known = call.failedWith ?? failed(call, { reason, ...wait }).failure;
  const failure = isReadOn ? { ...known, isReadOn } : known;
  const isKnown = reason === 'over-budget' || failure.retryAfterSeconds !== undefined;
  if (isKnown) return new UpstreamError(failure);
  return new UpstreamError({
    ...failure,
    // The response may be sent long after the refusal, and its seconds must count from when it is sent.
    get retryAfterSeconds() {
      // Rounded to whole milliseconds first: in floating point, (time + window) - time may be more than the window.
      return Math.max(1, Math.ceil(Math.round(at - performance.now()) / 1000));
    },
  });
};

export const createPlanner = (options: PlannerOptions): Planner => {
  const { windowMs, waitMs, isPaced, reserve, endsAt } = options;
  const sentFor = new WeakMap<object, number>();
  const late = new WeakSet<object>();
  const tools = new ToolTurns(windowMs);

  const untilOf = ({ priority, latest, since, operation, isFollowedUp }: Claim): number => {
    const last = Math.min(latest, endsAt());
    if (priority === 'deferred' || isBackground(priority)) return last;
    const wait = isFollowedUp && late.has(operation) ? Math.min(waitMs, followedUpMs) : waitMs;
    return Math.min(last, since + wait);
  };

  /** Why a claim on the call with this turn is refused; undefined if it is not. */
  const whyRefused = <Each>(
    claim: Claim,
    planned: PlannedTurn<Each>,
    slots: Slots,
  ): Reason | undefined => {
    const { time, areKnown } = slots;
    const { claim: best, isOverBudget, isLongest, isOverdue } = planned;
    const isOverdueSoon = isLongest && !isOverdue;
    const at = isOverdueSoon ? Math.min(planned.at, tools.latest(best.since, slots)) : planned.at;
    if (time >= endsAt()) return 'stopping';
    const isOver = isOverBudget && best === claim;
    if (isOver && !claim.want) return 'over-budget';
    if (isOver && !isPaced) return claim.priority === 'refresh' ? 'no-slot' : 'over-budget';
    return at > time && areKnown && at > untilOf(claim) ? 'no-slot' : undefined;
  };

  /** Computes when each call is sent. Calls that are going to be refused take no slot from others. */
  const turnsOf = <Each extends Waiting>(
    waiting: Iterable<Each>,
    slots: Slots,
  ): readonly PlannedTurn<Each>[] => {
    const times = [...slots.free];
    const oldBefore = slots.time - 2 * windowMs;
    const facts = { sentFor, late, oldBefore, slots, tools };
    const turns: PlannedTurn<Each>[] = [];
    for (const ranked of inOrder(waiting, facts)) {
      if (ranked.waiter.isAsking) continue;
      // A call of low rank needs one free slot more than the reserve.
      const at = times[ranked.isLow ? Math.min(reserve, times.length - 1) : 0] ?? Infinity;
      const planned = { ...ranked, at };
      turns.push(planned);
      if (whyRefused(ranked.claim, planned, slots)) continue;
      times.shift();
      insert(times, Math.max(at, slots.time) + windowMs);
    }
    return turns;
  };

  return {
    plan: <Each extends Waiting>(waiting: Iterable<Each>, slots: Slots) => {
      const refusals = new Map<Claim, readonly [Each, at: number, Reason]>();
      for (;;) {
        const turns = turnsOf(waiting, slots);
        const before = refusals.size;
        for (const planned of turns) {
          const { waiter, at } = planned;
          for (const claim of waiter.claims.list()) {
            const why = whyRefused(claim, planned, slots);
            if (!why) continue;
            refusals.set(claim, [waiter, at, why]);
            waiter.claims.delete(claim);
            if (why === 'no-slot') claim.want?.(claim.since);
            if (claim.priority === 'read') late.add(claim.operation);
          }
        }
        // The turn of a refused claim is free, and the call may wait on at a lower rank: so all turns are planned anew.
        if (refusals.size > before) continue;
        if (refusals.size === 0) return turns;
        const ats = new Map(turns.map(({ waiter, at }) => [waiter, at]));
        for (const [claim, [waiter, at, why]] of refusals) {
          const isReadOn = why === 'no-slot' && claim.want !== undefined;
          claim.refuse(refusalOf(waiter.call, why, ats.get(waiter) ?? at, isReadOn));
        }
        return turns;
      }
    },
    sent: ({ claim: { operation, priority, isOfTool }, turn, isOverdue, isBehind }) => {
      sentFor.set(operation, (sentFor.get(operation) ?? 0) + 1);
      tools.sent({ priority, isOfTool, turn, isOverdue, isBehind });
    },
  };
};

import { unbounded } from '../budget.ts';
import { failed } from '../call.ts';
import type { UpstreamError } from '../error.ts';
import { givenUp } from '../sending/abort.ts';
import type { Breaker } from '../sending/breaker.ts';
import { refusedByBreaker } from '../sending/breaker-step.ts';
import { claimOf } from './claim.ts';
import { Claims } from './claims.ts';
import type { Connections, Release } from './connections.ts';
import type { PacedCall } from './paced-call.ts';
import { createPlanner, type PlannedTurn, type PlannerOptions } from './plan.ts';
import type { Slot, SlotLog } from './slots.ts';

/** The slot and the connection with which a call is sent. */
export interface Turn {
  readonly slot: Slot;
  readonly release: Release;
  /** Gives the call back to its operation's budget, for a call that is not sent after all. */
  refund(): void;
}

/** A call that waits for its turn. */
interface Waiter {
  readonly call: PacedCall;
  readonly claims: Claims;
  /** Whether the call has a connection and waits for Redis to give it a slot. */
  isAsking: boolean;
  grant(turn: Turn): void;
  fail(error: UpstreamError): void;
}

interface LaneOptions extends PlannerOptions {
  readonly holder: string;
  readonly log: SlotLog;
  readonly connections: Connections;
  readonly breaker: Pick<Breaker, 'state' | 'retryAfterSeconds'>;
}

/** The calls of one credential that wait to be sent. */
export interface Lane {
  readonly log: SlotLog;
  /** How many reads with nothing to show could be sent now. */
  readonly left: number;
  /** Whether a new lane could take its place: no call waits, and its log is idle. */
  readonly isIdle: boolean;
  /** Resolves when the call may be sent; rejects if it is refused or given up. */
  turnOf(call: PacedCall): Promise<Turn>;
  /** Must be called after each change of the log. */
  review(): void;
  /** Must be called when the credential is proven or refused. */
  judge(): void;
  /** Refuses all waiting calls, since the upstream is down. */
  dismiss(): void;
  /** Must be called after `endsAt` has changed. */
  end(): void;
}

const now = (): number => performance.now();

/**
 * After a review that took longer than `longReviewMs`, there is a pause of `pauses` times its length, so that one
 * credential cannot take all the time.
 */
const longReviewMs = 10;
const pauses = 4;

/**
 * Decides which calls of one credential are sent, and refuses at once the calls that get no slot in time. A call that
 * waits can still be refused later, when a more urgent call takes its turn.
 */
export const createLane = (options: LaneOptions): Lane => {
  const { holder, log, reserve, breaker, endsAt } = options;
  const planner = createPlanner(options);
  const waiting = new Set<Waiter>();
  /** Calls whose slot is free, and that lack only a connection. */
  let lacking: Waiter[] = [];
  let isReviewDue = false;
  let isRefreshing = false;
  let timer: NodeJS.Timeout | undefined;
  /** The time before which no review begins, in milliseconds of `performance.now()`. */
  let pausedUntil = 0;

  const isDown = (): boolean => breaker.state !== 'closed';
  const refuseDown = ({ call, fail }: Waiter): void => fail(refusedByBreaker(call, breaker));
  const refuseFull = (waiters: readonly Waiter[]): void => {
    for (const { call, fail } of waiters) fail(failed(call, { reason: 'queue-full' }));
  };

  /** One review for all changes of one turn of the event loop: calls that come together are judged together. */
  const reviewSoon = (): void => {
    if (isReviewDue) return;
    isReviewDue = true;
    const pauseMs = pausedUntil - now();
    if (pauseMs <= 0) {
      queueMicrotask(review);
      return;
    }
    clearTimeout(timer);
    timer = setTimeout(review, pauseMs);
  };

  const connections = options.connections.of(holder, {
    offer: reviewSoon,
    giveWay: () => refuseFull(lacking.splice(-1)),
  });

  const review = (): void => {
    clearTimeout(timer);
    lacking = [];
    // A review is marked as due, so that changes made by this one start no other.
    isReviewDue = true;
    const free = log.freeTimes();
    const time = now();
    const isKnown = log.knownUntil > time;
    let isInDoubt = false;
    let next = Infinity;
    for (const planned of planner.plan(waiting, { free, time, areKnown: isKnown })) {
      const { waiter, at } = planned;
      if (!waiting.has(waiter)) continue;
      if (at <= time) void send(planned);
      else if (isDown()) refuseDown(waiter);
      else {
        isInDoubt ||= !isKnown;
        next = Math.min(next, at);
      }
    }
    isReviewDue = false;
    const tookMs = now() - time;
    if (tookMs > longReviewMs) pausedUntil = now() + pauses * tookMs;
    refuseFull(lacking.splice(connections.want(lacking.length)));
    if (isInDoubt) void refresh();
    const end = endsAt() > time ? endsAt() : Infinity;
    const due = Math.min(next, end, isInDoubt ? Infinity : log.knownUntil);
    if (waiting.size > 0 && due < Infinity && !isReviewDue) {
      timer = setTimeout(review, Math.max(1, Math.ceil(due - now())));
    }
  };

  /** Sends a call whose slot is free, if there is a connection for it. */
  const send = async (planned: PlannedTurn<Waiter>): Promise<void> => {
    const { waiter, claim, isLow, isOverBudget } = planned;
    const release = connections.take();
    if (!release) {
      // While the upstream is down, no call waits for a connection.
      if (isDown()) refuseDown(waiter);
      else lacking.push(waiter);
      return;
    }
    const taken = log.take(isLow ? reserve : 0);
    waiter.isAsking = true;
    const slot = taken instanceof Promise ? await taken : taken;
    waiter.isAsking = false;
    // The call may have been given up meanwhile.
    if (slot && waiting.has(waiter)) {
      planner.sent(planned);
      const budget = isOverBudget ? unbounded : claim.budget;
      budget.take();
      waiter.grant({ slot, release, refund: () => budget.refund() });
    } else {
      slot?.giveBack();
      release();
    }
    if (taken instanceof Promise) reviewSoon();
    else if (!slot) setTimeout(reviewSoon, 1);
  };

  const refresh = async (): Promise<void> => {
    if (isRefreshing) return;
    isRefreshing = true;
    await log.refresh();
    isRefreshing = false;
    reviewSoon();
  };

  return {
    log,
    get left() {
      const before = [...waiting].filter(({ isAsking, claims }) => !isAsking && !claims.mayWait);
      return Math.max(0, log.left - before.length);
    },
    get isIdle() {
      return waiting.size === 0 && log.isIdle;
    },
    turnOf: (call) =>
      new Promise((resolve, reject) => {
        const { signal, claims = new Claims() } = call;
        const end = (): void => {
          waiting.delete(waiter);
          unwatch();
          signal.removeEventListener('abort', leave);
          reviewSoon();
        };
        const waiter: Waiter = {
          ...{ call, claims, isAsking: false },
          grant: (turn) => {
            end();
            resolve(turn);
          },
          fail: (error) => {
            end();
            reject(error);
          },
        };
        const leave = (): void => waiter.fail(givenUp(call));
        if (!call.claims) claims.add(claimOf(call, waiter.fail));
        const unwatch = claims.watch(reviewSoon);
        signal.addEventListener('abort', leave, { once: true });
        waiting.add(waiter);
        if (signal.aborted) leave();
        reviewSoon();
      }),
    review: reviewSoon,
    judge: connections.review,
    dismiss: () => {
      for (const waiter of waiting) refuseDown(waiter);
    },
    end: () => {
      if (waiting.size > 0) reviewSoon();
    },
  };
};

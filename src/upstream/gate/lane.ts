import { type Call, failed } from '../call.ts';
import { UpstreamError } from '../error.ts';
import { givenUp } from '../sending/abort.ts';
import type { Breaker } from '../sending/breaker.ts';
import { refusedByBreaker } from '../sending/breaker-step.ts';
import { claimOf } from './claim.ts';
import { type Claim, Claims } from './claims.ts';
import type { Connections, Release } from './connections.ts';
import { inOrder, isLow } from './order.ts';
import type { Slot, SlotLog } from './slots.ts';

/** What a call is sent with. */
export interface Turn {
  readonly slot: Slot;
  readonly release: Release;
}

/** A call that waits for its turn. */
interface Waiter {
  readonly call: Call;
  readonly claims: Claims;
  grant(turn: Turn): void;
  fail(error: UpstreamError): void;
}

interface LaneOptions {
  readonly holder: string;
  readonly log: SlotLog;
  readonly windowMs: number;
  /** How long a claim may wait for a slot, in milliseconds. */
  readonly waitMs: number;
  /** Slots that refreshes and renewals leave free. */
  readonly reserve: number;
  readonly connections: Connections;
  readonly breaker: Pick<Breaker, 'state' | 'retryAfterSeconds'>;
}

/** The calls of one credential that wait to be sent. */
export interface Lane {
  readonly log: SlotLog;
  /** How many calls with nothing to show could be sent now. */
  readonly left: number;
  /** Resolves when the call may be sent; rejects where it is refused or given up. */
  turnOf(call: Call): Promise<Turn>;
  /** To be called after whatever changes the log. */
  review(): void;
  /** To be called when the credential is proven or refused. */
  judge(): void;
  /** Refuses all calls that wait, since the upstream is down. */
  dismiss(): void;
}

const now = (): number => performance.now();

/** Puts a number into a list that is sorted, ascending. */
const insert = (sorted: number[], value: number): void => {
  sorted.splice(sorted.findLastIndex((each) => each <= value) + 1, 0, value);
};

/** The error of a call whose slot comes too late. What the call failed with when it was sent before says more. */
const tooLate = (call: Call, seconds: number): UpstreamError => {
  const failure = call.failedWith ?? failed(call, { reason: 'no-slot' }).failure;
  return new UpstreamError({
    ...failure,
    retryAfterSeconds: failure.retryAfterSeconds ?? seconds,
  });
};

/**
 * Decides which calls of one credential are sent, and tells at once which ones get no slot in time. To be let in is no
 * promise: a call that comes later and goes first may push another out of its time, which is refused then.
 */
export const createLane = (options: LaneOptions): Lane => {
  const { holder, log, windowMs, waitMs, reserve, breaker } = options;
  const waiting = new Set<Waiter>();
  /** Those that have a connection, and whose slot is asked for elsewhere. */
  const asking = new Set<Waiter>();
  /** Those whose slot is free, and that lack a connection alone. */
  let lacking: Waiter[] = [];
  const sentFor = new WeakMap<object, number>();
  let isReviewDue = false;
  let isRefreshing = false;
  let timer: NodeJS.Timeout | undefined;

  const isDown = (): boolean => breaker.state !== 'closed';
  const refuseDown = ({ call, fail }: Waiter): void => fail(refusedByBreaker(call, breaker));
  const refuseFull = (waiters: readonly Waiter[]): void => {
    for (const { call, fail } of waiters) fail(failed(call, { reason: 'queue-full' }));
  };

  /** Refuses the claims whose time is up before their slot is free. */
  const refuseLate = ({ call, claims }: Waiter, slotAt: number, time: number): void => {
    // Whole milliseconds first: a time and a window added, less that time, may be a trifle more than the window.
    const seconds = Math.max(1, Math.ceil(Math.round(slotAt - time) / 1000));
    for (const claim of claims.list()) {
      if (slotAt <= Math.min(claim.latest, claim.since + waitMs)) continue;
      claims.delete(claim);
      claim.refuse(tooLate(call, seconds));
    }
  };

  /** Once for all that happens at a time: calls that come together are judged together. */
  const reviewSoon = (): void => {
    if (isReviewDue) return;
    isReviewDue = true;
    queueMicrotask(review);
  };

  const connections = options.connections.of(holder, {
    offer: reviewSoon,
    giveWay: () => refuseFull(lacking.splice(-1)),
  });

  const review = (): void => {
    isReviewDue = false;
    clearTimeout(timer);
    lacking = [];
    if (waiting.size === 0) {
      connections.want(0);
      return;
    }
    const times = log.freeTimes();
    const time = now();
    const isKnown = log.knownUntil > time;
    let isInDoubt = false;
    let next = Infinity;
    for (const { waiter, claim } of inOrder(waiting, sentFor)) {
      if (asking.has(waiter)) continue;
      // Where slots are kept free, it waits for one more than these to be free.
      const at = times[isLow(claim) ? Math.min(reserve, times.length - 1) : 0] ?? Infinity;
      const hasToWait = at > time;
      if (hasToWait && isKnown) refuseLate(waiter, at, time);
      const claims = waiter.claims.list();
      if (claims.length === 0) continue;
      // The claim that gave it its place was refused. That of the others may be another.
      if (!claims.includes(claim)) {
        review();
        return;
      }
      if (!hasToWait) void send(waiter, claim);
      else if (isDown()) refuseDown(waiter);
      else {
        isInDoubt ||= !isKnown;
        next = Math.min(next, at);
      }
      times.shift();
      insert(times, Math.max(at, time) + windowMs);
    }
    refuseFull(lacking.splice(connections.want(lacking.length)));
    if (isInDoubt) void refresh();
    const due = isInDoubt ? next : Math.min(next, log.knownUntil);
    if (waiting.size > 0 && due < Infinity) {
      timer = setTimeout(review, Math.max(1, Math.ceil(due - now())));
    }
  };

  /** Sends a call whose slot is free, if there is a connection for it. */
  const send = async (waiter: Waiter, claim: Claim): Promise<void> => {
    const release = connections.take();
    if (!release) {
      // Nothing waits for a connection while the upstream is down.
      if (isDown()) refuseDown(waiter);
      else lacking.push(waiter);
      return;
    }
    const taken = log.take(isLow(claim) ? reserve : 0);
    asking.add(waiter);
    const slot = taken instanceof Promise ? await taken : taken;
    asking.delete(waiter);
    // It may have left meanwhile.
    if (slot && waiting.has(waiter)) {
      sentFor.set(claim.operation, (sentFor.get(claim.operation) ?? 0) + 1);
      waiter.grant({ slot, release });
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
      const before = [...waiting].filter(
        (waiter) => !asking.has(waiter) && !waiter.claims.list().every(isLow),
      );
      return Math.max(0, log.left - before.length);
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
          ...{ call, claims },
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
  };
};

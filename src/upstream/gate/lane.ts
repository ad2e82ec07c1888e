import { type Call, failed } from '../call.ts';
import { UpstreamError } from '../error.ts';
import { givenUp } from '../sending/abort.ts';
import type { Breaker } from '../sending/breaker.ts';
import { refusedByBreaker } from '../sending/breaker-step.ts';
import { unbounded } from '../sending/budget.ts';
import { claimOf } from './claim.ts';
import { type Claim, Claims, isBackground } from './claims.ts';
import type { Connections, Release } from './connections.ts';
import { inOrder, type Ranked } from './order.ts';
import type { Slot, SlotLog } from './slots.ts';

/** What a call is sent with. */
export interface Turn {
  readonly slot: Slot;
  readonly release: Release;
  /** Takes the call off its operation's count: it was not sent after all. */
  refund(): void;
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
  /** How long a request may wait for a slot, in milliseconds. Deferred parts, and what no request waits for, may wait longer. */
  readonly waitMs: number;
  /** Whether calls are counted, so that what an operation may not have sent itself is sent later. */
  readonly isPaced: boolean;
  /** Slots that calls of low rank leave free; see `inOrder`. */
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

/** A call that waits, and when it is sent if no other comes, in milliseconds of `performance.now()`. */
interface Place extends Ranked<Waiter> {
  readonly at: number;
}

/** What a call failed with when it was sent before says more than why it is not sent again. */
const refusalOf = (call: Call, reason: 'no-slot' | 'over-budget', at: number): UpstreamError => {
  const failure = call.failedWith ?? failed(call, { reason }).failure;
  const isKnown = reason === 'over-budget' || failure.retryAfterSeconds !== undefined;
  if (isKnown) return new UpstreamError(failure);
  return new UpstreamError({
    ...failure,
    // A response may be sent long after the refusal, and is to tell the seconds from then on.
    get retryAfterSeconds() {
      // Whole milliseconds first: a time and a window added, less that time, may be a trifle more than the window.
      return Math.max(1, Math.ceil(Math.round(at - now()) / 1000));
    },
  });
};

/**
 * Decides which calls of one credential are sent, and tells at once which ones get no slot in time. To be let in is no
 * promise: a call that comes later and goes first may push another out of its time, which is refused then.
 */
export const createLane = (options: LaneOptions): Lane => {
  const { holder, log, windowMs, waitMs, isPaced, reserve, breaker } = options;
  const waiting = new Set<Waiter>();
  /** Those that have a connection, and whose slot is asked for elsewhere. */
  const asking = new Set<Waiter>();
  /** Those whose slot is free, and that lack a connection alone. */
  let lacking: Waiter[] = [];
  const sentFor = new WeakMap<object, number>();
  const late = new WeakSet<object>();
  let isReviewDue = false;
  let isRefreshing = false;
  let timer: NodeJS.Timeout | undefined;

  const isDown = (): boolean => breaker.state !== 'closed';
  const refuseDown = ({ call, fail }: Waiter): void => fail(refusedByBreaker(call, breaker));
  const refuseFull = (waiters: readonly Waiter[]): void => {
    for (const { call, fail } of waiters) fail(failed(call, { reason: 'queue-full' }));
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

  const untilOf = ({ priority, latest, since }: Claim): number =>
    priority === 'deferred' || isBackground(priority) ? latest : Math.min(latest, since + waitMs);

  /** Why a claim is refused whose call has that place; undefined where it is not. */
  const whyRefused = (claim: Claim, { at, ...best }: Place, time: number) => {
    const isOver = best.isOverBudget && best.claim === claim;
    if (isOver && !claim.want) return 'over-budget';
    if (isOver && !isPaced) return claim.priority === 'refresh' ? 'no-slot' : 'over-budget';
    // What others have used is not known for certain: nobody is refused on its account.
    return at > time && log.knownUntil > time && at > untilOf(claim) ? 'no-slot' : undefined;
  };

  /** When each call that waits is sent. Those that are going to be refused take no slot from others. */
  const plan = (free: readonly number[], time: number): readonly Place[] => {
    const times = [...free];
    const places: Place[] = [];
    for (const ranked of inOrder(waiting, { sentFor, late, oldBefore: time - 2 * windowMs })) {
      if (asking.has(ranked.waiter)) continue;
      // Where slots are kept free, it waits for one more than these to be free.
      const at = times[ranked.isLow ? Math.min(reserve, times.length - 1) : 0] ?? Infinity;
      const place = { ...ranked, at };
      places.push(place);
      if (whyRefused(ranked.claim, place, time)) continue;
      times.shift();
      insert(times, Math.max(at, time) + windowMs);
    }
    return places;
  };

  /** Plans until all that are left are in time. Then it is known when the others would have their slot, who are told so. */
  const settle = (free: readonly number[], time: number): readonly Place[] => {
    const refusals = new Map<Claim, readonly [Place, 'no-slot' | 'over-budget']>();
    for (;;) {
      const places = plan(free, time);
      const before = refusals.size;
      for (const place of places) {
        for (const claim of place.waiter.claims.list()) {
          const why = whyRefused(claim, place, time);
          if (!why) continue;
          refusals.set(claim, [place, why]);
          place.waiter.claims.delete(claim);
          claim.want?.(claim.since);
          if (claim.priority === 'read') late.add(claim.operation);
        }
      }
      if (refusals.size > before) continue;
      const ats = new Map(places.map(({ waiter, at }) => [waiter, at]));
      for (const [claim, [{ waiter, at }, why]] of refusals) {
        claim.refuse(refusalOf(waiter.call, why, ats.get(waiter) ?? at));
      }
      return places;
    }
  };

  const review = (): void => {
    clearTimeout(timer);
    lacking = [];
    // Whatever changes on account of the review needs no other.
    isReviewDue = true;
    const free = log.freeTimes();
    const time = now();
    const isKnown = log.knownUntil > time;
    let isInDoubt = false;
    let next = Infinity;
    for (const place of settle(free, time)) {
      const { waiter, at } = place;
      if (!waiting.has(waiter)) continue;
      if (at <= time) void send(place);
      else if (isDown()) refuseDown(waiter);
      else {
        isInDoubt ||= !isKnown;
        next = Math.min(next, at);
      }
    }
    isReviewDue = false;
    refuseFull(lacking.splice(connections.want(lacking.length)));
    if (isInDoubt) void refresh();
    const due = isInDoubt ? next : Math.min(next, log.knownUntil);
    if (waiting.size > 0 && due < Infinity) {
      timer = setTimeout(review, Math.max(1, Math.ceil(due - now())));
    }
  };

  /** Sends a call whose slot is free, if there is a connection for it. */
  const send = async ({ waiter, claim, isLow, isOverBudget }: Place): Promise<void> => {
    const release = connections.take();
    if (!release) {
      // Nothing waits for a connection while the upstream is down.
      if (isDown()) refuseDown(waiter);
      else lacking.push(waiter);
      return;
    }
    const taken = log.take(isLow ? reserve : 0);
    asking.add(waiter);
    const slot = taken instanceof Promise ? await taken : taken;
    asking.delete(waiter);
    // It may have left meanwhile.
    if (slot && waiting.has(waiter)) {
      sentFor.set(claim.operation, (sentFor.get(claim.operation) ?? 0) + 1);
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
      const before = [...waiting].filter((waiter) => !asking.has(waiter) && !waiter.claims.mayWait);
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

import type { UpstreamError } from '../error.ts';
import { type Claim, type Claims, priorities } from './claims.ts';
import type { Slot, SlotLog } from './slots.ts';

/** A call that waits for a slot. */
export interface Waiting {
  readonly claims: Claims;
  /** What those are told who would have to wait too long for it: its turn comes in so many seconds. */
  errorOf(retryAfterSeconds: number): UpstreamError;
  /** It may be sent. */
  grant(slot: Slot): void;
  /** It is not to wait: the upstream is down. */
  dismiss(): void;
}

/** The calls of one credential that wait for its slots. */
export interface Queue {
  /** How many calls could be sent now by somebody who has nothing to show. */
  readonly left: number;
  /** Whether nothing is known that a new queue would not know. */
  readonly isIdle: boolean;
  /** Lets a call wait. It is granted, dismissed, or its claims are refused, once what asks for calls at the same time has asked. */
  enter(waiting: Waiting): void;
  leave(waiting: Waiting): void;
  /** To be called after whatever changes the log. */
  review(): void;
  dismissAll(): void;
}

interface QueueOptions {
  readonly log: SlotLog;
  readonly windowMs: number;
  /** How long a claim may wait, in milliseconds. */
  readonly waitMs: number;
  /** Slots that refreshes and renewals leave free. */
  readonly reserve: number;
  /** Whether nothing is to wait, since the upstream is down. */
  readonly isDown: () => boolean;
  readonly now: () => number;
  /** Calls back after so many milliseconds, unless the returned function is called before. */
  readonly later: (callback: () => void, milliseconds: number) => () => void;
}

/** A claim's place in the order: class of priority; the turn of its operation, or what it renews; arrival. */
type Place = readonly [priority: number, turn: number, arrival: number];

const compare = (one: Place, other: Place): number =>
  one[0] - other[0] || one[1] - other[1] || one[2] - other[2];

/** Puts a number into a list that is sorted, ascending. */
const insert = (sorted: number[], value: number): void => {
  const at = sorted.findLastIndex((each) => each <= value) + 1;
  sorted.splice(at, 0, value);
};

const isLow = ({ priority }: Claim): boolean => priority === 'refresh' || priority === 'renewal';

/**
 * Decides who gets the slots of one credential, and tells at once who will not get one in time. Of reads, each operation
 * gets one in turn, so that a small operation does not wait behind a large one. Being let in is no promise: who
 * comes later and goes first may push a call out of its time, and it is refused then.
 */
export const createQueue = (options: QueueOptions): Queue => {
  const { log, windowMs, waitMs, reserve, isDown, now, later } = options;
  const waiting = new Set<Waiting>();
  /** Calls of these whose slots are asked for elsewhere. */
  const asking = new Set<Waiting>();
  /** How many slots each operation has had. */
  const granted = new WeakMap<object, number>();
  let isReviewDue = false;
  let isRefreshing = false;
  let cancelTimer: (() => void) | undefined;

  /** Reads with nothing to show come one an operation in turn, those that renew something the oldest first. */
  const turnOf = (claim: Claim, turns: Map<object, number>): number => {
    if (claim.priority === 'write') return 0;
    if (isLow(claim)) return claim.shownReadAt ?? 0;
    const turn = turns.get(claim.operation) ?? granted.get(claim.operation) ?? 0;
    turns.set(claim.operation, turn + 1);
    return turn;
  };

  /** The waiting calls in the order in which they are served, with the claim that has the best place. */
  const inOrder = (): readonly { readonly call: Waiting; readonly claim: Claim }[] => {
    const arrivals = [...waiting].flatMap((call, arrival) =>
      call.claims.list().map((claim) => ({ call, claim, arrival })),
    );
    const turns = new Map<object, number>();
    const placed = arrivals
      .map((each) => ({ ...each, priority: priorities.indexOf(each.claim.priority) }))
      .sort((one, other) => one.priority - other.priority || one.arrival - other.arrival)
      .map(({ call, claim, arrival, priority }) => {
        const place: Place = [priority, turnOf(claim, turns), arrival];
        return { call, claim, place };
      })
      .sort((one, other) => compare(one.place, other.place));
    const best = new Map(placed.toReversed().map((each) => [each.call, each]));
    return placed.filter((each) => best.get(each.call) === each);
  };

  const grant = (call: Waiting, { operation }: Claim, slot: Slot): void => {
    waiting.delete(call);
    granted.set(operation, (granted.get(operation) ?? 0) + 1);
    call.grant(slot);
  };

  /** Whether it has a slot, or one is asked for. */
  const give = (call: Waiting, claim: Claim): boolean => {
    const slot = log.take(isLow(claim) ? reserve : 0);
    if (slot instanceof Promise) void receive(call, claim, slot);
    else if (slot) grant(call, claim, slot);
    return slot !== undefined;
  };

  const receive = async (
    call: Waiting,
    claim: Claim,
    asked: Promise<Slot | undefined>,
  ): Promise<void> => {
    asking.add(call);
    const slot = await asked;
    asking.delete(call);
    // It may have left meanwhile, or all its claims were refused.
    const isWanted = waiting.has(call) && !call.claims.isEmpty;
    if (slot && isWanted) grant(call, claim, slot);
    else slot?.giveBack();
    reviewSoon();
  };

  const refresh = async (): Promise<void> => {
    if (isRefreshing) return;
    isRefreshing = true;
    await log.refresh();
    isRefreshing = false;
    reviewSoon();
  };

  /** Refuses the claims whose time is up before that moment. */
  const refuseLate = ({ claims, errorOf }: Waiting, at: number, time: number): void => {
    if (at <= time) return;
    // Whole milliseconds first: a time and a window added, less that time, may be a trifle more than the window.
    const seconds = Math.max(1, Math.ceil(Math.round(at - time) / 1000));
    for (const claim of claims.list()) {
      if (at <= Math.min(claim.latest, claim.since + waitMs)) continue;
      claims.delete(claim);
      claim.refuse(errorOf(seconds));
    }
  };

  const review = (): void => {
    isReviewDue = false;
    cancelTimer?.();
    cancelTimer = undefined;
    if (waiting.size === 0) return;
    const times = log.freeTimes();
    const time = now();
    const isKnown = log.knownUntil > time;
    let isInDoubt = false;
    let next = Infinity;
    for (const { call, claim } of inOrder()) {
      if (asking.has(call)) continue;
      // Where slots are kept free, it waits for one more than that to be free.
      const at = times[isLow(claim) ? Math.min(reserve, times.length - 1) : 0] ?? Infinity;
      if (at <= time || isKnown) refuseLate(call, at, time);
      else isInDoubt = true;
      const claims = call.claims.list();
      if (at > time && isDown()) {
        waiting.delete(call);
        call.dismiss();
      } else if (claims.length > 0) {
        // It had its place by a claim that was refused: that of those who are left may be another.
        if (!claims.includes(claim)) {
          review();
          return;
        }
        const isSent = at <= time && give(call, claim);
        if (!isSent) next = Math.min(next, at);
        times.shift();
        insert(times, Math.max(at, time) + windowMs);
      }
    }
    if (isInDoubt) void refresh();
    const due = isInDoubt ? next : Math.min(next, log.knownUntil);
    if (waiting.size > 0 && due < Infinity) {
      cancelTimer = later(review, Math.max(1, Math.ceil(due - now())));
    }
  };

  /** Once for all that happens in one turn: calls that come together are judged together. */
  const reviewSoon = (): void => {
    if (isReviewDue) return;
    isReviewDue = true;
    queueMicrotask(review);
  };

  return {
    get left() {
      const before = [...waiting].filter(
        (call) => !asking.has(call) && !call.claims.list().every(isLow),
      );
      return Math.max(0, log.left - before.length);
    },
    get isIdle() {
      return waiting.size === 0 && log.isIdle;
    },
    enter: (call) => {
      waiting.add(call);
      reviewSoon();
    },
    leave: (call) => {
      if (waiting.delete(call)) reviewSoon();
    },
    review: reviewSoon,
    dismissAll: () => {
      for (const call of waiting) call.dismiss();
      waiting.clear();
      cancelTimer?.();
    },
  };
};

import { LRUCache } from 'lru-cache';
import { callsLeft, retryAfterSeconds } from '../answer-headers.ts';
import { type Answer, failed, type Step } from '../call.ts';
import { UpstreamError, wasNeverSent } from '../error.ts';
import { givenUp } from '../sending/abort.ts';
import type { Breaker } from '../sending/breaker.ts';
import { refusedByBreaker, sendAndSettle } from '../sending/breaker-step.ts';
import { createConnections } from './connections.ts';
import type { CredentialStatus } from './credential-status.ts';
import { createLane, type Lane, type Turn } from './lane.ts';
import type { PacedCall } from './paced-call.ts';
import { createSlotLog, type Rate, reserveOf, type SlotLog, unlimited } from './slots.ts';

export interface GateOptions {
  /** How often a credential may call the upstream; undefined if calls are not counted. */
  readonly rate: Rate | undefined;
  /** How long a call may wait for its slot, in milliseconds. */
  readonly waitMs: number;
  /** The most open connections to the upstream. */
  readonly connections: number;
  /** The most calls that may wait for a connection. */
  readonly maxWaiting?: number;
  readonly breaker: Breaker;
  readonly credentialStatus: Pick<CredentialStatus, 'isProven' | 'onChange'>;
  /** Makes the slot log of a credential; if absent, the log is in this process. */
  readonly logOf?: ((credential: string) => SlotLog) | undefined;
}

export interface Gate {
  readonly step: Step<PacedCall>;
  /** How many calls of the holder could be sent now. */
  left(holder: string): number;
  /** How many credentials are remembered. */
  readonly size: number;
  /** Refuses all waiting calls: the upstream is down. */
  dismiss(): void;
  /**
   * Refuses every call after a time, and at once all calls that cannot be sent before.
   *
   * @param at the time, in milliseconds of `performance.now()`
   */
  endAt(at: number): void;
}

/**
 * The most calls that wait for a connection. They have a free slot, and wait as long as their operations have time. At
 * a hundred calls a second, this many calls come in ten seconds: a read that has waited so long has failed.
 */
const mostWaiting = 1000;

/**
 * The most unproven credentials that are remembered, and the most of their calls that wait. Each takes 3 to 10 KB, and
 * may be invented. After a start no credential is proven yet, so no more users than this can come at once.
 */
const mostUnproven = 5000;

/** The most proven credentials that are remembered: as many as `credential-status.ts` remembers. */
const mostProven = 10_000;

/** How often idle credentials are looked for, in milliseconds. */
const reviewMs = 60_000;

const now = (): number => performance.now();

/** Learns from an answer how many calls the upstream has counted, and for how long no call may be sent. */
const learn = (log: SlotLog, answer: Answer, { windowMs }: Rate): void => {
  const left = callsLeft(answer);
  const wait = retryAfterSeconds(answer);
  if (left) {
    const seconds = left.seconds ?? wait;
    log.learnLeft(left.calls, seconds === undefined ? windowMs : seconds * 1000);
  }
  if (wait !== undefined) log.holdFor(wait * 1000);
  // The window of a 429 that names no time to wait may have begun just now.
  else if (answer.status === 429) log.holdFor(windowMs);
};

/**
 * Decides when a call may be sent: a slot of its credential and a connection are free, the credential is not held back,
 * and the breaker is closed. A call waits for its slot, but is refused at once if the slot would come too late.
 */
export const createGate = (options: GateOptions): Gate => {
  const { rate, waitMs, maxWaiting = mostWaiting, breaker, credentialStatus, logOf } = options;
  const { isProven } = credentialStatus;
  const connections = createConnections({ ...options, maxWaiting, isProven });
  // By holder. Two maps, so that invented credentials displace no proven ones. A forgotten lane's waiting calls go on.
  const proven = new LRUCache<string, Lane>({ max: mostProven });
  const unproven = new LRUCache<string, Lane>({ max: mostUnproven });
  let unprovenWaiting = 0;
  let endsAt = Infinity;
  const known = (holder: string): Lane | undefined => proven.peek(holder) ?? unproven.peek(holder);

  const lanes = (): readonly Lane[] => [...proven.values(), ...unproven.values()];

  let reviewedAt = now();
  /** Forgets idle credentials. Where calls are not counted, nothing tells whether calls are under way. */
  const forgetIdle = (): void => {
    if (!rate || now() - reviewedAt < reviewMs) return;
    reviewedAt = now();
    for (const some of [proven, unproven]) {
      for (const [holder, lane] of [...some.entries()]) if (lane.isIdle) some.delete(holder);
    }
  };

  const laneOf = ({ holder, credential }: PacedCall): Lane => {
    const lane =
      known(holder) ??
      createLane({
        log: rate ? (logOf?.(credential) ?? createSlotLog(rate, now)) : unlimited,
        windowMs: rate?.windowMs ?? 0,
        reserve: reserveOf(rate),
        ...{ holder, waitMs, isPaced: rate !== undefined, connections, breaker },
        endsAt: () => endsAt,
      });
    const [its, other] = isProven(holder) ? [proven, unproven] : [unproven, proven];
    other.delete(holder);
    its.set(holder, lane);
    return lane;
  };

  /** Waits for the turn of a call, unless too many unproven calls wait. */
  const turnOf = async (lane: Lane, call: PacedCall): Promise<Turn> => {
    if (isProven(call.holder)) return lane.turnOf(call);
    if (unprovenWaiting >= mostUnproven) throw failed(call, { reason: 'queue-full' });
    unprovenWaiting += 1;
    try {
      return await lane.turnOf(call);
    } finally {
      unprovenWaiting -= 1;
    }
  };

  const queue = async (lane: Lane, call: PacedCall): Promise<Turn> => {
    if (!rate) return turnOf(lane, call);
    const { tell } = call.caller;
    tell({ kind: 'queued', call });
    try {
      return await turnOf(lane, call);
    } finally {
      tell({ kind: 'dequeued', call });
    }
  };

  credentialStatus.onChange((holder) => known(holder)?.judge());

  return {
    step: async (call, next) => {
      const began = now();
      const { tell } = call.caller;
      for (;;) {
        const early = await call.before?.('queue');
        if (early && typeof early !== 'string') return early;
        forgetIdle();
        // Nothing is awaited before the call waits in the lane, so the lane is not forgotten meanwhile.
        const lane = laneOf(call);
        const { slot, release, refund } = await queue(lane, call);
        let isDone = Promise.resolve();
        const keepConnection = (until: Promise<void>): void => {
          isDone = until;
        };
        try {
          const waited = now() - began;
          const late = await call.before?.('turn');
          if (late && typeof late !== 'string') {
            refund();
            return late;
          }
          // Nothing is awaited between these checks and the sending, so they still hold when the call is sent.
          if (call.signal.aborted || call.claims?.isEmpty) throw givenUp(call);
          if (late === 'leave' || lane.log.isHeld) {
            refund();
            continue;
          }
          const settle = breaker.allow(call);
          if (!settle) throw refusedByBreaker(call, breaker);
          if (rate) tell({ kind: 'granted', call, waitedMs: waited, slotsLeft: lane.left });
          const answer = await sendAndSettle({ ...call, keepConnection }, next, settle);
          slot.answered();
          if (rate) learn(lane.log, answer, rate);
          return answer;
        } catch (error) {
          if (error instanceof UpstreamError && wasNeverSent(error.failure)) refund();
          else slot.givenUp();
          throw error;
        } finally {
          // Has no effect if the call was sent.
          slot.giveBack();
          void isDone.then(release);
          lane.review();
        }
      }
    },
    left: (holder) => known(holder)?.left ?? rate?.calls ?? Infinity,
    get size() {
      return proven.size + unproven.size;
    },
    dismiss: () => {
      for (const lane of lanes()) lane.dismiss();
    },
    endAt: (at) => {
      endsAt = at;
      for (const lane of lanes()) lane.end();
    },
  };
};

import { type Answer, type Call, failed, type Step } from '../call.ts';
import { UpstreamError, wasNeverSent } from '../error.ts';
import { givenUp } from '../sending/abort.ts';
import type { Breaker } from '../sending/breaker.ts';
import { refusedByBreaker } from '../sending/breaker-step.ts';
import { callsLeft, retryAfterSeconds } from '../sending/rate-limit.ts';
import { claimOf } from './claim.ts';
import { Claims } from './claims.ts';
import { createQueue, type Queue, type Waiting } from './pacing.ts';
import { createSlotLog, type Rate, type Slot, type SlotLog } from './slots.ts';

interface PaceOptions {
  readonly rate: Rate;
  /** How long a call may wait for its slot, in milliseconds. */
  readonly waitMs: number;
  readonly breaker: Pick<Breaker, 'state' | 'retryAfterSeconds'>;
  /** Gives the log of a credential's calls; one in this process if absent. */
  readonly logOf?: ((credential: string) => SlotLog) | undefined;
}

export interface Pace {
  readonly step: Step;
  /**
   * Right before sending: a call that had its slot, and had to wait for something else since, waits for another slot where
   * its credential is held back meanwhile.
   */
  readonly recheck: Step;
  /** How many calls of that holder could be sent now. */
  left(holder: string): number;
  /** How many holders are remembered: of the last two windows, and those that wait or are held back; so many at most. */
  readonly size: number;
  /** Refuses all calls that wait, since the upstream is down. */
  dismiss(): void;
}

/** Invented credentials are forgotten with their windows; until then they may be many. Each is some 3 to 10 KB. */
const mostHolders = 20_000;

/** Who has waited so long asks again whether another process has read it meanwhile, in milliseconds. */
const longMs = 50;

/** What one holder has and waits for. */
interface Paced {
  readonly log: SlotLog;
  readonly queue: Queue;
  /** Its calls that wait for a slot. */
  readonly waiting: Set<Waiting>;
}

/** What a call is refused with whose turn comes too late: what it failed with before, if it was sent, says more. */
const refusal = (call: Call, seconds: number): UpstreamError => {
  const { failedWith } = call;
  if (!failedWith) return failed(call, { reason: 'no-slot', retryAfterSeconds: seconds });
  const { retryAfterSeconds = seconds } = failedWith;
  return new UpstreamError({ ...failedWith, retryAfterSeconds });
};

const now = (): number => performance.now();

const later = (callback: () => void, milliseconds: number): (() => void) => {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
};

/** Takes what an answer tells of the upstream's own count. */
const learn = (log: SlotLog, answer: Answer, { windowMs }: Rate): void => {
  const left = callsLeft(answer);
  const wait = retryAfterSeconds(answer);
  if (left) {
    const seconds = left.seconds ?? wait;
    log.learnLeft(left.calls, seconds === undefined ? windowMs : seconds * 1000);
  }
  if (wait !== undefined) log.holdFor(wait * 1000);
  // One that does not say when to come back may have begun its window just now.
  else if (answer.status === 429) log.holdFor(windowMs);
};

/** Whether a call that had a slot was not sent, since its credential is held back. */
const isHeldBack = (error: unknown): boolean =>
  error instanceof UpstreamError && error.failure.reason === 'no-slot';

/**
 * Holds each credential to the rate that the upstream allows it: a call waits for its slot where that helps, and is
 * refused at once where its slot would come too late. See `createQueue` for who comes first.
 */
export const createPace = ({ rate, waitMs, breaker, logOf }: PaceOptions): Pace => {
  const { calls, windowMs } = rate;
  const all = new Map<string, Paced>();
  let sweptAt = -Infinity;

  /** Forgets those of whom nothing is left to know, once a window while others come. */
  const sweep = (): void => {
    if (now() < sweptAt + windowMs) return;
    sweptAt = now();
    for (const [holder, { queue }] of all) if (queue.isIdle) all.delete(holder);
  };

  /** Forgets who has called least recently, if possible none that waits or is held back. */
  const forgetOne = (): void => {
    const [longestAgo = ''] = all.keys();
    for (const [holder, { log, waiting }] of all) {
      if (waiting.size > 0 || log.isHeld) continue;
      // Whatever else is left to know of it: the upstream counts too.
      all.delete(holder);
      return;
    }
    all.delete(longestAgo);
  };

  const pacedOf = ({ holder, credential }: Call): Paced => {
    const known = all.get(holder);
    if (known) {
      // Who has called last is forgotten last.
      all.delete(holder);
      all.set(holder, known);
      return known;
    }
    sweep();
    if (all.size >= mostHolders) forgetOne();
    const log = logOf?.(credential) ?? createSlotLog(rate, now);
    const queue = createQueue({
      log,
      windowMs,
      waitMs,
      reserve: Math.floor(calls / 5),
      isDown: () => breaker.state !== 'closed',
      now,
      later,
    });
    const paced = { log, queue, waiting: new Set<Waiting>() };
    all.set(holder, paced);
    return paced;
  };

  const wait = ({ queue, waiting: own }: Paced, call: Call): Promise<Slot> =>
    new Promise((resolve, reject) => {
      const { signal } = call;
      const claims = call.claims ?? new Claims();
      const end = (): void => {
        queue.leave(waiting);
        own.delete(waiting);
        unwatch();
        signal.removeEventListener('abort', leave);
      };
      const fail = (error: UpstreamError): void => {
        end();
        reject(error);
      };
      const leave = (): void => fail(givenUp(call));
      const waiting: Waiting = {
        claims,
        errorOf: (retryAfterSeconds) => refusal(call, retryAfterSeconds),
        grant: (slot: Slot): void => {
          end();
          resolve(slot);
        },
        dismiss: (): void => fail(refusedByBreaker(call, breaker)),
      };
      if (!call.claims) claims.add(claimOf(call, fail));
      const unwatch = claims.watch(() => queue.review());
      signal.addEventListener('abort', leave, { once: true });
      own.add(waiting);
      queue.enter(waiting);
    });

  return {
    step: async (call, next) => {
      const paced = pacedOf(call);
      const began = now();
      for (;;) {
        if (call.signal.aborted) throw givenUp(call);
        const slot = await wait(paced, call);
        const waited = now() - began;
        call.notes?.waited(waited);
        try {
          const known =
            call.asked && waited >= longMs
              ? await call.asked.again(call.caller.readAfter)
              : undefined;
          if (known) {
            slot.giveBack();
            call.onSent?.(known.sentAt);
            return known;
          }
          const answer = await next(call);
          slot.answered();
          learn(paced.log, answer, rate);
          return answer;
        } catch (error) {
          if (error instanceof UpstreamError && wasNeverSent(error.failure)) slot.giveBack();
          else slot.givenUp();
          if (!isHeldBack(error)) throw error;
        } finally {
          paced.queue.review();
        }
      }
    },
    recheck: async (call, next) => {
      if (all.get(call.holder)?.log.isHeld) throw failed(call, { reason: 'no-slot' });
      return next(call);
    },
    left: (holder) => all.get(holder)?.queue.left ?? calls,
    get size() {
      return all.size;
    },
    dismiss: () => {
      for (const { queue } of all.values()) queue.dismissAll();
    },
  };
};

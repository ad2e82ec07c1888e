import { type Answer, type Call, isWrite, type Send, type SoughtRead, type Step } from '../call.ts';
import { decode } from '../decode.ts';
import { asksForPause, hasToWait, UpstreamError } from '../error.ts';
import { unbounded } from '../sending/budget.ts';
import { headerOf } from '../sending/rate-limit.ts';
import { tellingChanges } from './changes.ts';
import { createForgetting } from './forgetting.ts';
import { ageOf, answerOf, freshMsOf, nameOf, stateOf } from './kept-reads.ts';
import type { Kept, KeptState, Memory } from './memory.ts';
import { createReadings, type Reading } from './readings.ts';
import { type AskedReplicas, createReplicas, type Found, readNameOf } from './replicas.ts';
import type { SharedMemory } from './shared-memory.ts';
import { createUncertain } from './uncertain.ts';

/** For how long an operation waits, in all, before it shows an older answer, in milliseconds. */
const patienceMs = 500;

export { staleMs } from './kept-reads.ts';

interface CacheOptions {
  readonly memory: Memory;
  /** What replicas keep for one another, if they do. */
  readonly shared?: SharedMemory | undefined;
  /** Told of each read that another replica has answered. */
  readonly onFound?: ((call: Call) => void) | undefined;
  /** Aborted when the gateway stops: nothing is renewed any longer. */
  readonly closing: AbortSignal;
}

export interface Cache {
  readonly step: Step;
  /** What the read would be answered with if it were sent now. */
  kept(call: SoughtRead): KeptState | undefined;
  /** The call's answer cannot be used, and is not to be kept. */
  drop(call: Call): void;
}

const keyOf = ({ holder, path }: Call): string => `${holder} ${path}`;

/** Whether a read would have to wait, or the upstream is left alone: an older answer is better than none. */
const isRefused = (error: unknown): boolean => {
  if (!(error instanceof UpstreamError)) return false;
  const { failure } = error;
  return failure.reason === 'queue-full' || asksForPause(failure) || hasToWait(failure);
};

/** Whether what was renewed can be used. Of other answers those say so who wait for them. */
const isUsable = ({ priority, row }: Call, answer: Answer): boolean =>
  priority !== 'renewal' || !('failure' in decode(row.operation, row.api, answer));

/**
 * Keeps reads for the seconds that their rows say, for exactly the same credential, and forgets what writes change
 * (docs/architecture.md). Later than that a read is shown only where a new one would have to wait, and is renewed.
 */
export const createCache = ({ memory, shared, onFound, closing }: CacheOptions): Cache => {
  const readings = createReadings();
  /** Answers that several requests share are kept once. */
  const stored = new WeakSet<Answer>();
  const renewing = new Set<string>();
  const uncertain = createUncertain();

  const forgetting = createForgetting({ memory, shared, readings, uncertain });

  /** Keeps an answer, here and for replicas, unless a write has changed since what it may say. Whether it may be kept. */
  const store = (
    call: Call,
    reading: Reading,
    answer: Answer,
    asked: AskedReplicas | undefined,
  ): boolean => {
    const { body, sentAt } = answer;
    if (stored.has(answer) || sentAt <= reading.changedAt || uncertain.has(call)) return false;
    if (asked?.look?.isUncertain) return false;
    stored.add(answer);
    if (!isUsable(call, answer)) return false;
    const known = ownOf(call);
    const marks = asked?.look?.marks;
    if (known && known.sentAt > sentAt && known.marks?.changes === marks?.changes) return false;
    const contentType = headerOf(answer, 'content-type');
    const kept = { body, contentType, sentAt, readAt: performance.now() };
    const mayBeStale = sentAt > reading.touchedAt;
    memory.keep(call.holder, nameOf(call, call.path), {
      ...kept,
      path: call.path,
      mayBeStale,
      marks,
    });
    if (marks) shared?.keep(readNameOf(call), { ...kept, marks });
    return marks !== undefined;
  };

  /** Reads, and keeps the answer. */
  const read = async (call: Call, next: Send, asked?: AskedReplicas): Promise<Answer> => {
    const reading = readings.begin(call);
    let isShared = false;
    try {
      const answer = await next(asked ? { ...call, asked } : call);
      if (answer.readAt === undefined) isShared = store(call, reading, answer, asked);
      else call.caller.ages.note(performance.now() - answer.readAt, 'fresh');
      return answer;
    } finally {
      readings.end(reading);
      if (asked && !isShared) replicas?.release(call, asked);
    }
  };

  const renew = async (
    call: Call,
    kept: Kept,
    next: Send,
    asked: AskedReplicas | undefined,
  ): Promise<void> => {
    const key = keyOf(call);
    if (renewing.has(key) || closing.aborted) return;
    renewing.add(key);
    const renewal: Call = {
      ...call,
      priority: 'renewal',
      shownReadAt: kept.readAt,
      latest: Infinity,
      signal: closing,
      budget: unbounded,
      notes: undefined,
    };
    try {
      await read(renewal, next, asked && replicas?.knowing(renewal, asked));
    } catch (error) {
      // Nobody waits for it. What the upstream is to blame for is in the log already.
      if (!(error instanceof UpstreamError)) throw error;
    } finally {
      renewing.delete(key);
    }
  };

  const ownOf = (call: SoughtRead): Kept | undefined =>
    memory.find(call.holder, nameOf(call, call.path));

  /** What answers the call. Without what replicas know, it is what this process has read. */
  const find = (call: SoughtRead, asked?: AskedReplicas, readAfter?: number): Found | undefined => {
    const kept = ownOf(call);
    const state = kept && !uncertain.has(call) ? stateOf(call, kept, asked, readAfter) : undefined;
    return kept && state && { kept, state };
  };

  const show = (call: Call, { kept, state }: Found): Answer => {
    call.notes?.kept(state, ageOf(kept));
    call.caller.ages.note(ageOf(kept), state);
    return answerOf(kept);
  };

  const replicas =
    shared &&
    createReplicas({
      ...{ shared, find, freshMsOf, patienceMs },
      own: ownOf,
      take: (call, found, askedAt) => {
        onFound?.(call);
        // What was forgotten since may be older than what this process has changed.
        if (forgetting.lastAt >= askedAt) return;
        const kept = { ...found, path: call.path, mayBeStale: true };
        memory.keep(call.holder, nameOf(call, call.path), kept);
      },
      show: (call, kept) => {
        call.notes?.kept('fresh', ageOf(kept));
        return answerOf(kept);
      },
    });

  /** Reads anew, unless that takes too long or is refused: then what was read before is shown, and renewed. */
  const readUnlessRefused = async (
    call: Call,
    kept: Kept,
    next: Send,
    before: AskedReplicas | undefined,
  ): Promise<Answer> => {
    const latest = Math.min(call.latest, call.caller.arrivedAt + patienceMs);
    try {
      const shownReadAt = kept.readAt;
      return await read({ ...call, priority: 'refresh', latest, shownReadAt }, next, before);
    } catch (error) {
      if (!isRefused(error)) throw error;
      // A write may have changed it in between, or another have read it anew.
      const asked = replicas ? await replicas.ask(call) : undefined;
      const found = find(call, asked);
      if (!found) return read(call, next, asked);
      if (found.state === 'stale') {
        // It may take long: others are not to wait for it.
        if (asked) replicas?.release(call, asked);
        void renew(call, found.kept, next, asked);
      }
      return show(call, found);
    }
  };

  return {
    kept: (call) => {
      const found = find(call);
      return found && { state: found.state, sentAt: found.kept.sentAt };
    },
    drop: forgetting.drop,
    step: async (call, following) => {
      const next = forgetting.refused(following);
      if (isWrite(call))
        return tellingChanges(call, next, (phase) => forgetting.change(call, phase));
      if (call.fresh) return next(call);
      const asked = replicas ? await replicas.ask(call) : undefined;
      const found = find(call, asked);
      if (!found) return read(call, next, asked);
      return found.state === 'fresh'
        ? show(call, found)
        : readUnlessRefused(call, found.kept, next, asked);
    },
  };
};

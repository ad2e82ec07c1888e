import { unbounded } from '../budget.ts';
import { fingerprint } from '../credential-identity.ts';
import { decode } from '../decode.ts';
import { asksForPause, hasToWait, UpstreamError } from '../error.ts';
import type { Kept, KeptState, Memory, NameStart } from '../memory.ts';
import type { PathStart } from '../path.ts';
import { headerOf } from '../rate-limit.ts';
import { type Answer, type Call, isWrite, type Send, type Step } from './call.ts';
import { changedBy, foldPath, isAmong, tellingChanges, type WritePhase } from './changes.ts';
import { createUncertain } from './uncertain.ts';

/** How long after it was read an answer may be shown at all, in milliseconds. */
export const staleMs = 60_000;
/** For how long an operation waits, in all, before it shows an older answer, in milliseconds. */
const patienceMs = 500;

interface CacheOptions {
  readonly memory: Memory;
  /** Aborted when the gateway stops: nothing is renewed any longer. */
  readonly closing: AbortSignal;
}

export interface Cache {
  readonly step: Step;
  /** What the call would be answered with if it were sent now. */
  kept(call: Call): KeptState | undefined;
  /** The call's answer cannot be used, and is not to be kept. */
  drop(call: Call): void;
}

/** The reads of one path for one holder that are under way, whose answers may be kept. */
interface Reading {
  readonly path: string;
  readonly holder: string;
  /** How many requests wait. One that joins a read is to know what has happened since it was sent. */
  readers: number;
  /** When a write of the holder, or one that counts for all, last changed it. */
  changedAt: number;
  /** When a write of another last may have changed it. */
  touchedAt: number;
}

const everything: readonly PathStart[] = [{ path: '', isWhole: false }];

/** Stands for a read of the same credential. A credential has no line break. */
export const spellingOf = ({ credential, path }: Call): string =>
  fingerprint(`${credential}\n${path}`);
const nameOf = ({ row: { api } }: Call, path: string): string => `${api.name} ${foldPath(path)}`;
const keyOf = ({ holder, path }: Call): string => `${holder} ${path}`;
const ageOf = ({ readAt }: Kept): number => performance.now() - readAt;

const answerOf = ({ body, contentType, sentAt }: Kept): Answer => ({
  status: 200,
  headers: { 'content-type': contentType },
  body,
  sentAt,
});

/** Whether a read would have to wait, or the upstream is left alone: an older answer is better than none. */
const isRefused = (error: unknown): boolean => {
  if (!(error instanceof UpstreamError)) return false;
  const { failure } = error;
  return failure.reason === 'queue-full' || asksForPause(failure) || hasToWait(failure);
};

/** Whether what was renewed can be used. Of other answers those say so who wait for them. */
const isUsable = ({ priority, row }: Call, answer: Answer): boolean =>
  priority !== 'renewal' || !('failure' in decode(row.operation, row.api, answer));

const isCredentialRefused = (error: unknown): boolean =>
  error instanceof UpstreamError && (error.failure.status === 401 || error.failure.status === 403);

/**
 * Keeps reads for the seconds that their rows say, for exactly the same credential, and forgets what writes change
 * (docs/architecture.md). Later than that a read is shown only where a new one would have to wait, and is renewed.
 */
export const createCache = ({ memory, closing }: CacheOptions): Cache => {
  const readings = new Map<string, Reading>();
  /** Answers that several requests share are kept once. */
  const stored = new WeakSet<Answer>();
  const renewing = new Set<string>();
  const uncertain = createUncertain();

  const namesOf = (call: Call, paths: readonly PathStart[]): readonly NameStart[] =>
    paths.map(({ path, isWhole }) => ({ name: nameOf(call, path), isWhole }));

  /** Forgets what one holder, or everybody where none is given, has read of these paths; nor is kept what is under way. */
  const forget = (call: Call, paths: readonly PathStart[], holder?: string): void => {
    memory.forget(namesOf(call, paths), holder);
    for (const reading of readings.values()) {
      const isMeant = holder === undefined || reading.holder === holder;
      if (isMeant && isAmong(paths, reading.path)) reading.changedAt = performance.now();
    }
  };

  /** What anybody has read of these paths is not shown once it is no longer fresh. */
  const forbidStale = (call: Call, paths: readonly PathStart[]): void => {
    memory.forbidStale(namesOf(call, paths));
    for (const reading of readings.values()) {
      if (isAmong(paths, reading.path)) reading.touchedAt = performance.now();
    }
  };

  const change = (write: Call, phase: WritePhase): void => {
    const changed = changedBy(write);
    const { pathsNameOwner } = write.row.api;
    const isForAll = phase === 'succeeded' && pathsNameOwner;
    forget(write, changed, isForAll ? undefined : write.holder);
    if (phase === 'succeeded' && !pathsNameOwner) forbidStale(write, changed);
    if (phase === 'uncertain') uncertain.note(write.holder, changed);
  };

  /** Sends, and forgets all that the holder has read where the upstream refuses the credential. */
  const forgettingRefused =
    (next: Send): Send =>
    async (call) => {
      try {
        return await next(call);
      } catch (error) {
        if (isCredentialRefused(error)) forget(call, everything, call.holder);
        throw error;
      }
    };

  const store = (call: Call, reading: Reading, answer: Answer): void => {
    const { sentAt } = answer;
    if (stored.has(answer) || sentAt <= reading.changedAt || uncertain.has(call)) return;
    stored.add(answer);
    if (!isUsable(call, answer)) return;
    const known = memory.find(call.holder, nameOf(call, call.path));
    if (known && known.sentAt > sentAt) return;
    const contentType = headerOf(answer, 'content-type');
    memory.keep(call.holder, nameOf(call, call.path), {
      body: answer.body,
      contentType,
      spelling: spellingOf(call),
      sentAt,
      readAt: performance.now(),
      mayBeStale: sentAt > reading.touchedAt,
    });
  };

  /** Reads, and keeps the answer unless a write has changed since what it may say. */
  const read = async (call: Call, next: Send): Promise<Answer> => {
    const { holder, path } = call;
    const key = keyOf(call);
    const none: Reading = { holder, path, readers: 0, changedAt: -Infinity, touchedAt: -Infinity };
    const reading = readings.get(key) ?? none;
    readings.set(key, reading);
    reading.readers += 1;
    try {
      const answer = await next(call);
      store(call, reading, answer);
      return answer;
    } finally {
      reading.readers -= 1;
      if (reading.readers === 0) readings.delete(key);
    }
  };

  const renew = async (call: Call, kept: Kept, next: Send): Promise<void> => {
    const key = keyOf(call);
    if (renewing.has(key) || closing.aborted) return;
    renewing.add(key);
    try {
      await read(
        {
          ...call,
          priority: 'renewal',
          shownReadAt: kept.readAt,
          latest: Infinity,
          signal: closing,
          budget: unbounded,
          notes: undefined,
        },
        next,
      );
    } catch (error) {
      // Nobody waits for it. What the upstream is to blame for is in the log already.
      if (!(error instanceof UpstreamError)) throw error;
    } finally {
      renewing.delete(key);
    }
  };

  const find = (
    call: Call,
  ): { readonly kept: Kept; readonly state: 'fresh' | 'stale' } | undefined => {
    const kept = memory.find(call.holder, nameOf(call, call.path));
    if (!kept || kept.sentAt < call.caller.readAfter || kept.spelling !== spellingOf(call)) {
      return undefined;
    }
    if (uncertain.has(call)) return undefined;
    const age = ageOf(kept);
    if (age <= (call.row.operation.freshSeconds ?? 0) * 1000) return { kept, state: 'fresh' };
    return kept.mayBeStale && age <= staleMs ? { kept, state: 'stale' } : undefined;
  };

  const show = (call: Call, kept: Kept, state: 'fresh' | 'stale'): Answer => {
    call.notes?.kept(state, ageOf(kept));
    call.caller.ages.note(ageOf(kept), state);
    return answerOf(kept);
  };

  /** Reads anew, unless that takes too long or is refused: then what was read before is shown, and renewed. */
  const readUnlessRefused = async (call: Call, kept: Kept, next: Send): Promise<Answer> => {
    const latest = Math.min(call.latest, call.caller.arrivedAt + patienceMs);
    try {
      const shownReadAt = kept.readAt;
      return await read({ ...call, priority: 'refresh', latest, shownReadAt }, next);
    } catch (error) {
      if (!isRefused(error)) throw error;
      // A write may have changed it in between, or another have read it anew.
      const found = find(call);
      if (!found) return read(call, next);
      if (found.state === 'stale') void renew(call, found.kept, next);
      return show(call, found.kept, found.state);
    }
  };

  return {
    kept: (call) => {
      const found = find(call);
      return found && { state: found.state, sentAt: found.kept.sentAt };
    },
    drop: (call) => forget(call, [{ path: foldPath(call.path), isWhole: true }], call.holder),
    step: async (call, following) => {
      const next = forgettingRefused(following);
      if (isWrite(call)) return tellingChanges(call, next, (phase) => change(call, phase));
      if (call.fresh) return next(call);
      const found = find(call);
      if (!found) return read(call, next);
      return found.state === 'fresh'
        ? show(call, found.kept, 'fresh')
        : readUnlessRefused(call, found.kept, next);
    },
  };
};

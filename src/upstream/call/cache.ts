import { unbounded } from '../budget.ts';
import { fingerprint } from '../credential-identity.ts';
import { decode } from '../decode.ts';
import { asksForPause, hasToWait, UpstreamError } from '../error.ts';
import type { Kept, KeptState, Memory, NameStart } from '../memory.ts';
import type { PathStart } from '../path.ts';
import { headerOf } from '../rate-limit.ts';
import type { SharedMemory } from '../shared-memory.ts';
import { type Answer, type Call, isWrite, type Send, type Step } from './call.ts';
import { changedBy, foldPath, tellingChanges, type WritePhase } from './changes.ts';
import { createReadings, type Reading } from './readings.ts';
import { type AskedReplicas, createReplicas, type Found, readNameOf } from './replicas.ts';
import { createUncertain } from './uncertain.ts';

/** How long after it was read an answer may be shown at all, in milliseconds. */
export const staleMs = 60_000;
/** For how long an operation waits, in all, before it shows an older answer, in milliseconds. */
const patienceMs = 500;
/** How old an answer may be at most while replicas cannot be asked, in milliseconds. */
const aloneMs = 3000;

interface CacheOptions {
  readonly memory: Memory;
  /** What replicas keep for one another, if they do. */
  readonly shared?: SharedMemory | undefined;
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

const everything: readonly PathStart[] = [{ path: '', isWhole: false }];

/** Stands for a read of the same credential. A credential has no line break. */
export const spellingOf = ({ credential, path }: Call): string =>
  fingerprint(`${credential}\n${path}`);
const nameOf = ({ row: { api } }: Call, path: string): string => `${api.name} ${foldPath(path)}`;
const keyOf = ({ holder, path }: Call): string => `${holder} ${path}`;
const ageOf = ({ readAt }: Kept): number => performance.now() - readAt;

const freshMsOf = ({ freshMs, row }: Call): number =>
  freshMs ?? (row.operation.freshSeconds ?? 0) * 1000;

const answerOf = ({ body, contentType, sentAt, readAt }: Kept): Answer => ({
  status: 200,
  headers: { 'content-type': contentType },
  body,
  sentAt,
  readAt,
});

/** Whether nothing has changed since it was read, as far as replicas know. Where they cannot be asked, it has to be young. */
const isCurrent = (kept: Kept, { look }: AskedReplicas): boolean => {
  if (!look) return ageOf(kept) <= aloneMs;
  return !look.isUncertain && kept.marks?.changes === look.marks.changes;
};

const isDoubtful = ({ marks }: Kept, { look }: AskedReplicas): boolean =>
  marks === undefined || marks.doubts !== look?.marks.doubts;

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
export const createCache = ({ memory, shared, closing }: CacheOptions): Cache => {
  const readings = createReadings();
  /** Answers that several requests share are kept once. */
  const stored = new WeakSet<Answer>();
  const renewing = new Set<string>();
  const uncertain = createUncertain();
  let forgottenAt = -Infinity;

  const namesOf = (call: Call, paths: readonly PathStart[]): readonly NameStart[] =>
    paths.map(({ path, isWhole }) => ({ name: nameOf(call, path), isWhole }));

  /** Forgets what one holder, or everybody where none is given, has read of these paths; nor is kept what is under way. */
  const forget = (call: Call, paths: readonly PathStart[], holder?: string): void => {
    memory.forget(namesOf(call, paths), holder);
    readings.change(paths, holder);
    forgottenAt = performance.now();
  };

  /** What anybody has read of these paths is not shown once it is no longer fresh. */
  const forbidStale = (call: Call, paths: readonly PathStart[]): void => {
    memory.forbidStale(namesOf(call, paths));
    readings.touch(paths);
  };

  /** Has replicas do what one holder has changed, if there are any. */
  const tell = (
    { row: { api }, credential }: Call,
    paths: readonly PathStart[],
    phase: WritePhase,
  ): Promise<void> | undefined => {
    const forAll = api.pathsNameOwner ? 'changed' : 'doubtful';
    const forOthers = phase === 'succeeded' ? forAll : 'nothing';
    const isUncertain = phase === 'uncertain';
    return shared?.tell({ upstream: api.name, credential, paths, forOthers, isUncertain });
  };

  const change = (write: Call, phase: WritePhase): Promise<void> | undefined => {
    const changed = changedBy(write);
    const { pathsNameOwner } = write.row.api;
    const isForAll = phase === 'succeeded' && pathsNameOwner;
    forget(write, changed, isForAll ? undefined : write.holder);
    if (phase === 'succeeded' && !pathsNameOwner) forbidStale(write, changed);
    if (phase === 'uncertain') uncertain.note(write.holder, changed);
    return changed.length > 0 ? tell(write, changed, phase) : undefined;
  };

  /** Sends, and forgets all that the holder has read where the upstream refuses the credential. */
  const forgettingRefused =
    (next: Send): Send =>
    async (call) => {
      try {
        return await next(call);
      } catch (error) {
        if (isCredentialRefused(error)) {
          forget(call, everything, call.holder);
          const told = tell(call, everything, 'refused');
          if (told) await told;
        }
        throw error;
      }
    };

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
    const name = nameOf(call, call.path);
    const known = memory.find(call.holder, name);
    const marks = asked?.look?.marks;
    if (known && known.sentAt > sentAt && known.marks?.changes === marks?.changes) return false;
    const contentType = headerOf(answer, 'content-type');
    const kept = { body, contentType, sentAt, readAt: performance.now() };
    const mayBeStale = sentAt > reading.touchedAt;
    memory.keep(call.holder, name, { ...kept, spelling: spellingOf(call), mayBeStale, marks });
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

  /** What answers the call. Without what replicas know, it is what this process has read. */
  const find = (
    call: Call,
    asked?: AskedReplicas,
    readAfter = call.caller.readAfter,
  ): Found | undefined => {
    const kept = memory.find(call.holder, nameOf(call, call.path));
    if (!kept || kept.sentAt < readAfter || kept.spelling !== spellingOf(call)) return undefined;
    if (uncertain.has(call) || (asked && !isCurrent(kept, asked))) return undefined;
    if (ageOf(kept) <= freshMsOf(call)) return { kept, state: 'fresh' };
    const mayBeStale = kept.mayBeStale && !(asked && isDoubtful(kept, asked));
    return mayBeStale && ageOf(kept) <= staleMs ? { kept, state: 'stale' } : undefined;
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
      own: (call) => memory.find(call.holder, nameOf(call, call.path)),
      take: (call, found, askedAt) => {
        // What was forgotten since may be older than what this process has changed.
        if (forgottenAt >= askedAt) return;
        const kept = { ...found, spelling: spellingOf(call), mayBeStale: true };
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
    drop: (call) => {
      const paths = [{ path: foldPath(call.path), isWhole: true }];
      forget(call, paths, call.holder);
      void tell(call, paths, 'refused');
    },
    step: async (call, following) => {
      const next = forgettingRefused(following);
      if (isWrite(call)) return tellingChanges(call, next, (phase) => change(call, phase));
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

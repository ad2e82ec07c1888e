import type { CallBudget } from '../budget.ts';
import { fingerprint } from '../credential-identity.ts';
import { UpstreamError } from '../error.ts';
import type { Kept, Memory, NameStart } from '../memory.ts';
import type { PathStart } from '../path.ts';
import { headerOf } from '../rate-limit.ts';
import { type Answer, type Call, isWrite, type Send, type Step } from './call.ts';
import { changedBy, isAmong, tellingChanges, type WritePhase } from './changes.ts';

/** How long after it was read an answer may be shown at all, in milliseconds. */
export const staleMs = 60_000;
/** For how long an operation waits, in all, before it shows an older answer, in milliseconds. */
const patienceMs = 500;
/** How long the reads are not kept that a write of unknown outcome changes, in milliseconds. */
const uncertainMs = 30_000;

interface CacheOptions {
  readonly memory: Memory;
  /** Aborted when the gateway stops: nothing is renewed any longer. */
  readonly closing: AbortSignal;
}

export interface Cache {
  readonly step: Step;
  /** What the call would be answered with if it were sent now. */
  kept(call: Call): 'fresh' | 'stale' | undefined;
}

/** A read under way whose answer may be kept. */
interface Reading {
  readonly path: string;
  readonly holder: string;
  /** When a write of the holder, or one that counts for all, last changed it. */
  changedAt: number;
  /** When a write of another last may have changed it. */
  touchedAt: number;
}

/** Renewals are made for nobody in particular. */
const unbounded: CallBudget = {
  take: () => true,
  refund: () => undefined,
  tryBegin: () => true,
  begin: async () => true,
  end: () => undefined,
};

const spellingOf = ({ credential }: Call): string => fingerprint(credential);
const nameOf = ({ row: { api } }: Call, path: string): string => `${api.name} ${path}`;
const ageOf = ({ readAt }: Kept): number => performance.now() - readAt;

const answerOf = ({ body, contentType, sentAt }: Kept): Answer => ({
  status: 200,
  headers: { 'content-type': contentType },
  body,
  sentAt,
});

/** Whether a read was refused for want of calls, or since the upstream is down, where an older answer is better than none. */
const isRefused = (error: unknown): boolean =>
  error instanceof UpstreamError &&
  (error.failure.reason === 'no-slot' ||
    error.failure.reason === 'circuit-open' ||
    error.failure.status === 429);

const isCredentialRefused = (error: unknown): boolean =>
  error instanceof UpstreamError && (error.failure.status === 401 || error.failure.status === 403);

/**
 * Keeps reads for the seconds that their rows say, for the very same credential, and forgets what writes change
 * (docs/architecture.md). Later than that a read is shown only where a new one would have to wait, and is renewed.
 */
export const createCache = ({ memory, closing }: CacheOptions): Cache => {
  const readings = new Set<Reading>();
  /** Answers that several requests share are kept once. */
  const stored = new WeakSet<Answer>();
  const renewing = new Set<string>();
  /** The reads that recent writes of unknown outcome change, by holder. */
  const uncertain = new Map<string, Set<readonly PathStart[]>>();

  const isUncertain = ({ holder, path }: Call): boolean =>
    [...(uncertain.get(holder) ?? [])].some((changed) => isAmong(changed, path));

  const noteUncertain = (holder: string, changed: readonly PathStart[]): void => {
    const all = uncertain.get(holder) ?? new Set<readonly PathStart[]>();
    uncertain.set(holder, all.add(changed));
    const forget = (): void => {
      all.delete(changed);
      if (all.size === 0) uncertain.delete(holder);
    };
    setTimeout(forget, uncertainMs).unref();
  };

  const change = (write: Call, phase: WritePhase): void => {
    const changed = changedBy(write);
    const names = changed.map(
      ({ path, isWhole }): NameStart => ({ name: nameOf(write, path), isWhole }),
    );
    const { pathsNameOwner } = write.row.api;
    const isForAll = phase === 'succeeded' && pathsNameOwner;
    memory.forget(names, isForAll ? undefined : write.holder);
    if (phase === 'succeeded' && !pathsNameOwner) memory.forbidStale(names);
    if (phase === 'uncertain') noteUncertain(write.holder, changed);
    for (const reading of readings) {
      if (!isAmong(changed, reading.path)) continue;
      if (isForAll || reading.holder === write.holder) reading.changedAt = performance.now();
      else if (phase === 'succeeded') reading.touchedAt = performance.now();
    }
  };

  const store = (call: Call, reading: Reading, answer: Answer): void => {
    const { sentAt } = answer;
    if (stored.has(answer) || sentAt <= reading.changedAt || isUncertain(call)) return;
    stored.add(answer);
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

  /** Sends on, and forgets all of a holder whose credential is refused. */
  const pass = async (call: Call, next: Send): Promise<Answer> => {
    try {
      return await next(call);
    } catch (error) {
      if (isCredentialRefused(error)) {
        memory.forget([{ name: nameOf(call, ''), isWhole: false }], call.holder);
      }
      throw error;
    }
  };

  /** Reads, and keeps the answer unless a write has changed since what it may say. */
  const read = async (call: Call, next: Send): Promise<Answer> => {
    const { holder, path } = call;
    const reading: Reading = { holder, path, changedAt: -Infinity, touchedAt: -Infinity };
    readings.add(reading);
    try {
      const answer = await pass(call, next);
      store(call, reading, answer);
      return answer;
    } finally {
      readings.delete(reading);
    }
  };

  const renew = async (call: Call, kept: Kept, next: Send): Promise<void> => {
    const key = `${call.holder} ${call.path}`;
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
    if (isUncertain(call)) return undefined;
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
    const waitsUntil = call.caller.arrivedAt + patienceMs;
    try {
      const shownReadAt = kept.readAt;
      return await read({ ...call, priority: 'refresh', waitsUntil, shownReadAt }, next);
    } catch (error) {
      if (!isRefused(error)) throw error;
      // A write may have changed it in between.
      const found = find(call);
      if (!found) return read(call, next);
      void renew(call, found.kept, next);
      return show(call, found.kept, found.state);
    }
  };

  return {
    kept: (call) => find(call)?.state,
    step: async (call, next) => {
      if (isWrite(call)) {
        return tellingChanges(
          call,
          (write) => pass(write, next),
          (phase) => change(call, phase),
        );
      }
      if (call.fresh) return pass(call, next);
      const found = find(call);
      if (!found) return read(call, next);
      return found.state === 'fresh'
        ? show(call, found.kept, 'fresh')
        : readUnlessRefused(call, found.kept, next);
    },
  };
};

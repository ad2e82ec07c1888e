import { type Answer, type Caller, isWrite, type Send } from '../call.ts';
import { UpstreamError, type UpstreamName } from '../error.ts';
import type { PathStart } from '../path.ts';
import { type ChangeLog, uncertainMs } from './change-log.ts';
import { changedBy, isAmong, phaseOf, type WritePhase } from './changes.ts';
import type { Entries, Outcome } from './entries.ts';
import type { ReadCall } from './read-call.ts';
import type { SharedMemory } from './shared-memory.ts';
import type { Watches } from './watches.ts';

const everything = [{ path: '', isWhole: false }];

interface WritesOptions {
  readonly entries: Entries;
  /** The interfaces that the upstream serves. */
  readonly interfaces: readonly UpstreamName[];
  readonly log: ChangeLog;
  readonly shared: SharedMemory | undefined;
  readonly watches: Pick<Watches, 'refused' | 'changed'>;
  /** Whether the upstream has lately accepted a holder's credential. */
  readonly isProven: (holder: string) => boolean;
  /** The kept outcome of a read, whether it counts or not. */
  readonly outcomeOf: (read: ReadCall) => Outcome | undefined;
}

/** Writes and refusals of credentials: both make earlier outcomes of reads invalid. Replicas and streams are told. */
interface Writes {
  /** Sends a write. The reads that its row names change when it begins and when it ends. */
  send(write: ReadCall, next: Send<ReadCall>): Promise<Answer>;
  /** Makes a `Send` that watches for refused credentials: after a refusal, no earlier read of the credential counts. */
  refusals(next: Send<ReadCall>): Send<ReadCall>;
}

export const createWrites = (options: WritesOptions): Writes => {
  const { entries, interfaces, log, shared, watches, isProven, outcomeOf } = options;

  /** The request forgets the reads that the write changes, and all failed ones. */
  const forgetOwn = ({ reads }: Caller, paths: readonly PathStart[]): void => {
    for (const [path, { hasFailed }] of reads) {
      if (hasFailed || isAmong(paths, path)) reads.delete(path);
    }
  };

  /**
   * Tells the request itself, the streams, the log of changes and the replicas of a change. Resolves once the replicas
   * know; undefined if there is nothing to wait for.
   */
  const change = (write: ReadCall, phase: WritePhase): Promise<void> | undefined => {
    const { holder, credential, row } = write;
    const { pathsNameOwner } = row.api;
    const paths = changedBy(write);
    const isForAll = phase === 'succeeded' && pathsNameOwner;
    const isUncertain = phase === 'uncertain';
    forgetOwn(write.caller, paths);
    watches.changed(write, phase, paths);
    if (isForAll) log.note(paths);
    if (isUncertain) log.note(paths, holder, performance.now() + uncertainMs);
    // Without any known read of this holder, nothing can be old.
    else if (interfaces.some((each) => entries.heldBy(each, holder).size > 0)) {
      log.note(paths, holder);
    }
    if (paths.length === 0 || !shared) return undefined;
    const about = { credential, paths, isForAll, isUncertain, isProven: isProven(holder) };
    const told = interfaces.map((upstream) => shared.tell({ upstream, ...about }));
    return Promise.all(told).then(() => undefined);
  };

  /**
   * The interfaces for which the upstream refuses the credential: all with a 401, and the call's own with a 403 if the
   * credential could read this before. Any other 403 concerns only this read.
   */
  const refusedBy = (call: ReadCall, error: unknown): readonly UpstreamName[] => {
    const status = error instanceof UpstreamError ? error.failure.status : undefined;
    if (status === 401) return interfaces;
    if (status !== 403 || isWrite(call)) return [];
    const known = outcomeOf(call);
    return known && !(known.result instanceof Error) ? [call.row.api.name] : [];
  };

  return {
    send: async (write, next) => {
      // Without a promise to wait for, the write is sent in the same turn.
      const begun = change(write, 'begins');
      if (begun) await begun;
      let phase: WritePhase = 'succeeded';
      try {
        return await next(write);
      } catch (error) {
        phase = phaseOf(error);
        throw error;
      } finally {
        const ended = change(write, phase);
        if (ended) await ended;
      }
    },
    refusals: (next) => async (call) => {
      const { holder, credential } = call;
      const wasProven = isProven(holder);
      try {
        return await next(call);
      } catch (error) {
        const refused = refusedBy(call, error);
        if (refused.length === 0) throw error;
        watches.refused(call, refused);
        for (const entry of refused.flatMap((upstream) => [...entries.heldBy(upstream, holder)])) {
          log.noteRead(entry);
          for (const flight of entry.flights) {
            flight.isDoubted = true;
            flight.unwant();
          }
        }
        // Replicas check for themselves whether they have kept anything.
        const about = { isForAll: false, isUncertain: false, isProven: wasProven };
        await Promise.all(
          refused.map((upstream) =>
            shared?.tell({ upstream, credential, paths: everything, ...about }),
          ),
        );
        throw error;
      }
    },
  };
};

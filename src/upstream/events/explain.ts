import type { CacheState, Call, CallLog, Step } from '../call.ts';
import { UpstreamError } from '../error.ts';

/** What a call's entries have in common: each time that it is sent is an entry of its own. */
interface Entered {
  readonly call: Call;
  shared: boolean;
  /** Milliseconds that it waited before it was sent, the last time. */
  waited: number;
}

interface Entry {
  readonly of: Entered;
  readonly began: number;
  readonly cache: CacheState;
  readonly ageMs: number | undefined;
  waited: number;
  ended: number | undefined;
  status: number | undefined;
}

const tenths = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;

const roundsOf = (entries: readonly Entry[]): readonly number[] => {
  const found: number[] = [];
  for (const { began } of entries) {
    // What memory answers keeps nobody waiting.
    const before = found.filter((_, index) => {
      const { ended = Infinity, ageMs } = entries[index] ?? {};
      return ageMs === undefined && ended <= began;
    });
    found.push(1 + before.reduce((latest, round) => Math.max(latest, round), 0));
  }
  return found;
};

const statusOf = (error: unknown): number | undefined =>
  error instanceof UpstreamError ? error.failure.status : undefined;

const isRefused = (error: unknown): boolean =>
  error instanceof UpstreamError && error.failure.reason === 'no-slot';

/** @param now milliseconds of a clock that never runs backwards */
export const createCallLog = (now: () => number = () => performance.now()): CallLog => {
  const entries: Entry[] = [];

  const begin = (of: Entered, cache: CacheState, waited = of.waited, ageMs?: number): Entry => {
    const entry: Entry = {
      ...{ of, began: now(), cache, ageMs, waited },
      ...{ ended: undefined, status: undefined },
    };
    entries.push(entry);
    return entry;
  };
  const end = (entry: Entry, status: number | undefined): void => {
    entry.ended = now();
    entry.status = status;
  };

  return {
    enter: (call) => {
      const of: Entered = { call, shared: false, waited: 0 };
      return {
        waited: (milliseconds) => {
          of.waited = milliseconds;
        },
        sent: () => {
          const entry = begin(of, 'miss');
          return (status) => end(entry, status);
        },
        kept: (state, ageMs) => end(begin(of, state, 0, ageMs), 200),
        usedAgain: () => {
          of.shared = true;
        },
        joined: (outcome) => {
          const entry = begin(of, 'shared');
          outcome.then(
            ({ status, sentAt }) => {
              entry.waited = Math.max(0, sentAt - entry.began);
              end(entry, status);
            },
            (error: unknown) => {
              // Who did not wait for it has its answer from elsewhere, or an error.
              if (isRefused(error)) entries.splice(entries.indexOf(entry), 1);
              else end(entry, statusOf(error));
            },
          );
        },
      };
    },
    list: () => {
      const rounds = roundsOf(entries);
      return entries.map(({ of: { call, shared }, began, ended, status, ...entry }, index) => ({
        name: call.row.api.name,
        operation: call.row.name,
        method: call.row.operation.method,
        path: call.path,
        status: status ?? null,
        milliseconds: ended === undefined ? null : tenths(ended - began),
        round: rounds[index] ?? 1,
        // A read that was joined, and then not waited for, marks no entry after it.
        shared: shared || entry.cache === 'shared',
        waitedMilliseconds: tenths(entry.waited),
        cache: entry.cache,
        ageSeconds: entry.ageMs === undefined ? null : Math.floor(entry.ageMs / 1000),
      }));
    },
  };
};

/** Has the steps note what becomes of a call, where its request asks for that. */
export const explain: Step = (call, next) => {
  const notes = call.caller.calls?.enter(call);
  return next(notes ? { ...call, notes } : call);
};

import { UpstreamError } from '../error.ts';
import type { Call, CallLog, Step } from './call.ts';

/** What a call's entries have in common: each time that it is sent is an entry of its own. */
interface Entered {
  readonly call: Call;
  shared: boolean;
}

interface Entry {
  readonly of: Entered;
  readonly began: number;
  ended: number | undefined;
  status: number | undefined;
}

const tenths = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;

const roundsOf = (entries: readonly Entry[]): readonly number[] => {
  const found: number[] = [];
  for (const { began } of entries) {
    const before = found.filter((_, index) => (entries[index]?.ended ?? Infinity) <= began);
    found.push(1 + before.reduce((latest, round) => Math.max(latest, round), 0));
  }
  return found;
};

const statusOf = (error: unknown): number | undefined =>
  error instanceof UpstreamError ? error.failure.status : undefined;

/** @param now milliseconds of a clock that never runs backwards */
export const createCallLog = (now: () => number = () => performance.now()): CallLog => {
  const entries: Entry[] = [];

  const begin = (of: Entered): ((status?: number) => void) => {
    const entry: Entry = { of, began: now(), ended: undefined, status: undefined };
    entries.push(entry);
    return (status) => {
      entry.ended = now();
      entry.status = status;
    };
  };

  return {
    enter: (call) => {
      const of: Entered = { call, shared: false };
      return {
        sent: () => begin(of),
        usedAgain: () => {
          of.shared = true;
        },
        joined: (outcome) => {
          of.shared = true;
          const end = begin(of);
          outcome.then(
            ({ status }) => end(status),
            (error: unknown) => end(statusOf(error)),
          );
        },
      };
    },
    list: () => {
      const rounds = roundsOf(entries);
      return entries.map(({ of: { call, shared }, began, ended, status }, index) => ({
        name: call.row.api.name,
        operation: call.row.name,
        method: call.row.operation.method,
        path: call.path,
        status: status ?? null,
        milliseconds: ended === undefined ? null : tenths(ended - began),
        round: rounds[index] ?? 1,
        shared,
      }));
    },
  };
};

/** Has the steps note what becomes of a call, where its request asks for that. */
export const explain: Step = (call, next) => {
  const notes = call.caller.calls?.enter(call);
  return next(notes ? { ...call, notes } : call);
};

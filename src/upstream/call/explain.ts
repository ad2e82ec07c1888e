import { UpstreamError, type UpstreamName } from '../error.ts';
import type { Method } from '../operation.ts';
import type { Answer, Call, Step } from './call.ts';

/** One upstream call of a request, for `Sluice-Explain`. Holds no header and no body. */
interface ExplainedCall {
  readonly name: UpstreamName;
  readonly operation: string;
  readonly method: Method;
  /** Below the upstream's base URL, with its identifiers. */
  readonly path: string;
  /** HTTP status; null while none has come, or where none came. */
  readonly status: number | null;
  /** From sending to the end of the answer; null while it is under way. */
  readonly milliseconds: number | null;
  /** 1 for a call that waited for no other; else one more than the latest that had ended before it began. */
  readonly round: number;
  /** Whether it answered more than one field, or was another request's of the same credential. */
  readonly shared: boolean;
}

/** Where the steps of a call note what becomes of it. */
export interface CallNotes {
  /** It is sent now; the returned function notes its end, with the status that came. */
  sent(): (status?: number) => void;
  /** Its answer serves one more field of the request. */
  usedAgain(): void;
  /** It joins an equal read of another request, with this outcome. */
  joined(outcome: Promise<Answer>): void;
}

/** The upstream calls of one request, in the order in which they began. */
export interface CallLog {
  enter(call: Call): CallNotes;
  list(): readonly ExplainedCall[];
}

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

import type { UpstreamName } from './error.ts';
import type { Method } from './operation.ts';

interface Sent {
  readonly name: UpstreamName;
  readonly operation: string;
  readonly method: Method;
  /** Below the upstream's base URL, with its identifiers. */
  readonly path: string;
}

/** One upstream call of a request. Holds no header and no body. */
export interface LoggedCall extends Sent {
  /** HTTP status; null while none has come, or where none came. */
  readonly status: number | null;
  /** From sending to the end of the answer; null while it is under way. */
  readonly milliseconds: number | null;
  /** 1 for a call that waited for no other; else one more than the latest that had ended before it began. */
  readonly round: number;
  /** Whether more than one field was answered by it. */
  readonly shared: boolean;
}

/** The upstream calls of one request, in the order they were begun. */
export interface CallLog {
  /** Notes a call; the returned function notes its end, with the status that came. */
  begin(sent: Sent): (status?: number) => void;
  /** Notes that another field takes part in a read. */
  joined(name: UpstreamName, path: string): void;
  list(): readonly LoggedCall[];
}

interface Entry extends Sent {
  readonly began: number;
  readonly round: number;
  ended?: number;
  status?: number | undefined;
  shared: boolean;
}

const tenths = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;

/** @param now milliseconds of a clock that never runs backwards */
export const createCallLog = (now: () => number = () => performance.now()): CallLog => {
  const entries: Entry[] = [];
  return {
    begin: (sent) => {
      const began = now();
      const before = entries.filter(({ ended }) => ended !== undefined && ended <= began);
      const round = 1 + Math.max(0, ...before.map((entry) => entry.round));
      const entry: Entry = { ...sent, began, round, shared: false };
      entries.push(entry);
      return (status) => {
        entry.ended = now();
        entry.status = status;
      };
    },
    joined: (name, path) => {
      const entry = entries.findLast((sent) => sent.name === name && sent.path === path);
      if (entry) entry.shared = true;
    },
    list: () =>
      entries.map(({ began, ended, status, round, shared, name, operation, method, path }) => ({
        name,
        operation,
        method,
        path,
        status: status ?? null,
        milliseconds: ended === undefined ? null : tenths(ended - began),
        round,
        shared,
      })),
  };
};

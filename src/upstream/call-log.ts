import { UpstreamError, type UpstreamName } from './error.ts';
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
  /** Whether it answered more than one field, or was another request's of the same credential. */
  readonly shared: boolean;
}

/** The upstream calls of one request, in the order they were begun. */
export interface CallLog {
  /** Notes a call; the returned function notes its end, with the status that came. */
  begin(sent: Sent): (status?: number) => void;
  /** Notes that another field takes part in a read. */
  joined(name: UpstreamName, path: string): void;
  /** Notes that the request takes part in a read that another request has under way. */
  joinedOther(read: Omit<Sent, 'method'>, result: Promise<unknown>): void;
  list(): readonly LoggedCall[];
}

interface Entry extends Sent {
  readonly began: number;
  ended?: number;
  status?: number | undefined;
  shared: boolean;
}

const tenths = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;

/** @param now milliseconds of a clock that never runs backwards */
export const createCallLog = (now: () => number = () => performance.now()): CallLog => {
  const entries: Entry[] = [];

  const begin = (sent: Sent, shared: boolean) => {
    const entry: Entry = { ...sent, began: now(), shared };
    entries.push(entry);
    return (status?: number): void => {
      entry.ended = now();
      entry.status = status;
    };
  };

  const rounds = (): readonly number[] => {
    const found: number[] = [];
    for (const { began } of entries) {
      const before = found.filter((_, index) => (entries[index]?.ended ?? Infinity) <= began);
      found.push(1 + before.reduce((latest, round) => Math.max(latest, round), 0));
    }
    return found;
  };

  return {
    begin: (sent) => begin(sent, false),
    joined: (name, path) => {
      const entry = entries.findLast((sent) => sent.name === name && sent.path === path);
      if (entry) entry.shared = true;
    },
    joinedOther: (read, result) => {
      const ended = begin({ ...read, method: 'GET' }, true);
      result.then(
        () => ended(200),
        (error: unknown) =>
          ended(error instanceof UpstreamError ? error.failure.status : undefined),
      );
    },
    list: () => {
      const found = rounds();
      return entries.map(({ began, ended, status, shared, ...sent }, index) => ({
        ...sent,
        status: status ?? null,
        milliseconds: ended === undefined ? null : tenths(ended - began),
        round: found[index] ?? 1,
        shared,
      }));
    },
  };
};

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

/** A call under way. */
export interface CallUnderWay {
  /** Notes its end, with the status that came. */
  end(status?: number): void;
}

/** The upstream calls of one request, in the order they were begun. */
export interface CallLog {
  begin(sent: Sent): CallUnderWay;
  /** Notes that another field takes part in a read. */
  joined(name: UpstreamName, path: string): void;
  /** Notes that the request takes part in a read that another request has under way. */
  joinedOther(read: Omit<Sent, 'method'>, result: Promise<unknown>): void;
  list(): readonly LoggedCall[];
}

class Entry implements CallUnderWay {
  readonly sent: Sent;
  shared: boolean;
  readonly began: number;
  ended: number | undefined;
  status: number | undefined;
  readonly #now: () => number;

  constructor(sent: Sent, shared: boolean, now: () => number) {
    this.sent = sent;
    this.shared = shared;
    this.began = now();
    this.#now = now;
  }

  end(status?: number): void {
    this.ended = this.#now();
    this.status = status;
  }
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

const monotonic = (): number => performance.now();

class RequestCalls implements CallLog {
  readonly #entries: Entry[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  begin(sent: Sent): CallUnderWay {
    return this.#enter(sent, false);
  }

  joined(name: UpstreamName, path: string): void {
    const entry = this.#entries.findLast(({ sent }) => sent.name === name && sent.path === path);
    if (entry) entry.shared = true;
  }

  joinedOther(read: Omit<Sent, 'method'>, result: Promise<unknown>): void {
    const entry = this.#enter({ ...read, method: 'GET' }, true);
    result.then(
      () => entry.end(200),
      (error: unknown) =>
        entry.end(error instanceof UpstreamError ? error.failure.status : undefined),
    );
  }

  list(): readonly LoggedCall[] {
    const rounds = roundsOf(this.#entries);
    return this.#entries.map(({ sent, began, ended, status, shared }, index) => ({
      ...sent,
      status: status ?? null,
      milliseconds: ended === undefined ? null : tenths(ended - began),
      round: rounds[index] ?? 1,
      shared,
    }));
  }

  #enter(sent: Sent, shared: boolean): Entry {
    const entry = new Entry(sent, shared, this.#now);
    this.#entries.push(entry);
    return entry;
  }
}

const unnoted: CallUnderWay = { end: () => undefined };

/** Takes note of nothing, for a request whose calls nobody is going to see. */
export const noCallLog: CallLog = {
  begin: () => unnoted,
  joined: () => undefined,
  joinedOther: () => undefined,
  list: () => [],
};

/** @param now milliseconds of a clock that never runs backwards */
export const createCallLog = (now: () => number = monotonic): CallLog => new RequestCalls(now);

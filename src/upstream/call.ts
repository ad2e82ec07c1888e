import type { OperationBudget } from './budget.ts';
import { type Failure, UpstreamError } from './error.ts';
import type { CallLog, Tell } from './fate.ts';
import type { OperationTime, TimeLimit } from './operation-time.ts';
import { isBackground, type Priority, type Urgency } from './priority.ts';
import type { Ages, Progress, Waits } from './request-facts.ts';
import type { Ids, Row } from './row.ts';
import type { RequestSecrets } from './secrets.ts';
import type { Watcher } from './watcher.ts';

/** The credential that a request has for one upstream. */
export type Credential =
  | { readonly kind: 'given'; readonly value: string }
  | {
      readonly kind: 'absent';
      /** The header that would give it, with an example of a value. */
      readonly expected: string;
    }
  | { readonly kind: 'refused'; readonly detail: string };

/** The identifiers of a request in the log and in traces. */
export interface CallerIds {
  readonly requestId: string;
  /**
   * The trace that the request is part of; undefined if there is none. Set once, when the request's first span begins.
   */
  traceId: string | undefined;
}

/** One request to the gateway, with all that calls to one upstream need. */
export interface Caller extends CallerIds {
  readonly credential: Credential;
  /** The request's `traceparent` and `tracestate`, if it has them: name, value, name, value. */
  readonly traceHeaders: readonly string[];
  /** The list of the request's calls; absent if the request does not ask for it. */
  readonly calls: CallLog<Call> | undefined;
  /** The texts that must not leave the gateway. */
  readonly secrets: RequestSecrets;
  readonly budget: OperationBudget;
  /** Aborted when the caller has left (`AbortError`) or the operation's time is up (`TimeoutError`). */
  readonly signal: AbortSignal;
  /** When the request arrived, in milliseconds of `performance.now()`. */
  readonly arrivedAt: number;
  readonly time: OperationTime;
  /** How long the reads of deferred parts may take. */
  readonly later: () => TimeLimit;
  /** Only reads that were sent at this time or later may answer the request, in milliseconds of `performance.now()`. */
  readonly readAfter: number;
  /** The ages of the answers from memory. */
  readonly ages: Ages;
  /** How long the request's calls waited for their turn. */
  readonly waits: Waits;
  /** How many of the request's reads are ready. */
  readonly progress: Progress;
  /** Called with all that happens to the request's calls. */
  readonly tell: Tell<Call>;
  /** The request's own reads of this upstream, by path; see `once`. */
  readonly reads: Map<string, KnownRead>;
  /** The stream, if the request is an event of one. */
  readonly watcher?: Watcher | undefined;
}

/** A read of one request, under way or done. */
interface KnownRead {
  readonly answer: Promise<Answer>;
  hasFailed: boolean;
  /** Whether it was begun before its field, and no field has asked for it yet. */
  isEarly: boolean;
  /** The first call for the read. */
  readonly call: Call;
}

/** What a call reads or writes. */
interface Target {
  readonly row: Row;
  readonly ids: Ids;
  /** The row's path, with the identifiers in their places. */
  readonly path: string;
  /** JSON; undefined if the operation takes no body. */
  readonly body: string | undefined;
  readonly credential: string;
  /** A fingerprint of the credential, equal for all spellings of the credential. */
  readonly holder: string;
}

/** All who wait for a call, as far as steps beyond the gate need to know. */
interface Waiting {
  /** Whether no request waits for the call. */
  readonly areBackground: boolean;
}

/**
 * One read or write on its way to an upstream: what it reads or writes, who waits for it, and for how long. Each room
 * adds what its own steps need (`ReadCall`, `PacedCall`, `SentCall`). Steps never change a call; they pass on the call
 * itself, or a copy with other members.
 */
export interface Call extends Target {
  /** The same in all copies that steps make of the call. */
  readonly id: object;
  readonly caller: Caller;
  /** Aborted when no request waits for the answer any longer. */
  readonly signal: AbortSignal;
  readonly priority: Priority;
  /** Raises the priority of a deferred read that waits, if another field needs it sooner. */
  readonly urgency?: Urgency | undefined;
  /** The latest time at which sending the call is of use, in milliseconds of `performance.now()`. */
  readonly latest: number;
  /** Why the last attempt failed, if the call is sent again. */
  readonly failedWith?: Failure | undefined;
  /** When the older answer was read that is shown if this call would have to wait. */
  readonly shownReadAt?: number | undefined;
  readonly claims?: Waiting | undefined;
}

/** An upstream's answer, before it is decoded. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** When its call was sent, in milliseconds of `performance.now()`. */
  readonly sentAt: number;
  /** When it was read, in milliseconds of `performance.now()`; only for an answer from memory. */
  readonly readAt?: number | undefined;
  /**
   * A time at which the answer was known to count; only for an answer of another process. This process may note a
   * change long after the change was made, so `sentAt` cannot decide.
   */
  readonly currentAt?: number | undefined;
}

/**
 * Sends a call and returns its answer. Rejects with an `UpstreamError`.
 *
 * @param traceHeaders sent in place of the caller's `traceparent` and `tracestate`
 */
export type Send<Each extends Call = Call> = (
  call: Each,
  traceHeaders?: readonly string[],
) => Promise<Answer>;

/** One policy on the way of a call. */
export type Step<Each extends Call = Call> = (call: Each, next: Send<Each>) => Promise<Answer>;

/** Puts steps before a `send`, the first one outermost. */
export const compose = <Each extends Call>(
  steps: readonly Step<Each>[],
  send: Send<Each>,
): Send<Each> => steps.reduceRight<Send<Each>>((next, step) => (call) => step(call, next), send);

/** Whether no request waits for the call. */
export const isBackgroundCall = ({ claims, priority }: Call): boolean =>
  claims?.areBackground ?? isBackground(priority);

export const isWrite = ({ row }: Pick<Call, 'row'>): boolean => row.operation.method !== 'GET';

/** Makes the error of a failed call. */
export const failed = (
  call: Pick<Call, 'row'>,
  facts: Omit<Failure, 'upstream' | 'operation' | 'write'>,
): UpstreamError => {
  const { api, name } = call.row;
  return new UpstreamError({
    upstream: api.name,
    operation: name,
    write: isWrite(call),
    ...(api.destination !== api.name && { destination: api.destination }),
    ...facts,
  });
};

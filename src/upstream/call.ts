import { type Failure, UpstreamError } from './error.ts';
import type { CallLog, Tell } from './events/fate.ts';
import type { Ages, Progress, Waits } from './events/request-facts.ts';
import { type Claims, isBackground, type Priority, type Urgency } from './gate/claims.ts';
import type { RestInterface } from './interface.ts';
import type { AnyOperation } from './operation.ts';
import type { OperationTime, TimeLimit } from './operation-time.ts';
import type { PathTemplate } from './path.ts';
import type { Members } from './profile.ts';
import type { RequestSecrets } from './secrets.ts';
import type { OperationBudget } from './sending/budget.ts';

/** A prepared row of an operation table. */
export interface Row {
  readonly api: RestInterface;
  readonly name: string;
  readonly operation: AnyOperation;
  readonly path: PathTemplate;
  /** For a write: the paths of the reads that it changes. */
  readonly changes: readonly PathTemplate[];
  /** For a list that comes in pages: the most rows of a page. */
  readonly pageSize?: number | undefined;
  /** See `Profile.whenNotRunning`. */
  readonly whenNotRunning?: string | undefined;
  /** How the profile converts each record of an answer, and a body. */
  readonly read?: ((record: Members) => Members) | undefined;
  readonly write?: ((body: Members) => Members) | undefined;
  /** For a read: for each write that names only some of the read's parameters, and so changes many reads, those parameters. */
  readonly changedFrom?: readonly (readonly string[])[] | undefined;
}

/** The identifiers in a path, by their names in the template. */
export type Ids = Readonly<Record<string, string>>;

/** The credential that a request has for one upstream. */
export type Credential =
  | { readonly kind: 'given'; readonly value: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly detail: string };

/** What a request is found by in the log and in traces. */
export interface CallerIds {
  readonly requestId: string;
  /** The trace that the request is part of; undefined if none is known. Set once, when the request's first span begins. */
  traceId: string | undefined;
}

/** One request to the gateway, with all that calls to one upstream need. */
export interface Caller extends CallerIds {
  readonly credential: Credential;
  /** The request's `traceparent` and `tracestate`, if it has them: name, value, name, value. */
  readonly traceHeaders: readonly string[];
  /** Lists the request's calls; absent if the request does not ask for the list. */
  readonly calls: CallLog<Call> | undefined;
  /** The texts that must never leave the gateway. */
  readonly secrets: RequestSecrets;
  readonly budget: OperationBudget;
  /** Aborted when the caller has gone (`AbortError`) or the operation's time is up (`TimeoutError`). */
  readonly signal: AbortSignal;
  /** When the request came, in milliseconds of `performance.now()`. */
  readonly arrivedAt: number;
  readonly time: OperationTime;
  /** How long the reads of deferred parts may take. */
  readonly later: () => TimeLimit;
  /** Only reads that were sent after then may answer the request, in milliseconds of `performance.now()`. */
  readonly readAfter: number;
  /** The ages of the answers from memory. */
  readonly ages: Ages;
  /** How long the request's calls waited for their turn. */
  readonly waits: Waits;
  /** How many of the request's reads are ready. */
  readonly progress: Progress;
  /** Called with all that happens to the request's calls. */
  readonly tell: Tell<Call>;
  /** The request's own reads of this upstream, by path: `once` keeps them. */
  readonly reads: Map<string, KnownRead>;
  /** The stream, if the request is an event of one. */
  readonly watcher?: Watcher | undefined;
}

/** A read that streams watch, as one of them sees it. */
export interface Watched {
  /** Whether it is not polled until a write changes it. */
  readonly isResting: boolean;
  /** Whether the upstream has ever answered it, or refused it for good. */
  readonly isAnswered: boolean;
  /** Whether it has neither been answered nor failed so far. */
  readonly isLacking: boolean;
  /** Whether the credential was refused when it was read last. */
  readonly isRefused: boolean;
  /** Whether it has failed for so long that events show the failure. */
  readonly isFailing: boolean;
  /** Whether the watcher's newest event has used it. */
  isUsedBy(watcher: Watcher): boolean;
  /** Whether the watcher's newest event might be different now. */
  hasNewsFor(watcher: Watcher): boolean;
  /** Polls it, if it was put off while the events of its watchers lacked other reads. */
  revive(): void;
  /** Must be called when the watcher watches it no longer. */
  leave(watcher: Watcher): void;
}

/** A stream of events, as the reads that it watches see it. */
export interface Watcher {
  /** The number of the newest event, from 1. */
  readonly event: number;
  /** Whether the newest event lacks reads that will be answered later. */
  readonly isFilling: boolean;
  /** The reads that it watches: an event adds those that it uses. */
  readonly reads: Set<Watched>;
  /** Must be called when a read of the stream may have changed. */
  wake(): void;
}

/** A read of one request, under way or done. */
interface KnownRead {
  readonly answer: Promise<Answer>;
  hasFailed: boolean;
  /** The first call for the read. */
  readonly call: Call;
}

/** The members of a read that a lookup needs, without sending it. */
export type SoughtRead = Pick<Call, 'row' | 'holder' | 'path' | 'caller' | 'freshMs'>;

/**
 * Asks whether a read still has to be sent: before it waits for its slot, and when it has its slot. Resolves with an answer
 * that was found meanwhile, or with `leave` if the read must give its slot back and wait anew.
 */
export type Before = (moment: 'queue' | 'turn') => Promise<Answer | 'send' | 'leave'>;

/** One read or write on its way to an upstream. Steps never change it; they pass on the call itself, or a copy with other members. */
export interface Call {
  /** The same in all copies that steps make of the call. */
  readonly id: object;
  readonly row: Row;
  readonly ids: Ids;
  /** The row's path, with the identifiers in their places. */
  readonly path: string;
  /** JSON; undefined if the operation takes no body. */
  readonly body: string | undefined;
  readonly credential: string;
  /** A fingerprint of the credential, equal for all its spellings. */
  readonly holder: string;
  readonly caller: Caller;
  /** Aborted when no request waits for the answer any longer. */
  readonly signal: AbortSignal;
  /** Whether memory must not answer it, since the answer is going to be written back. */
  readonly mustBeSent: boolean;
  readonly priority: Priority;
  /** Raises the priority of a deferred read that waits, if another field needs it sooner. */
  readonly urgency?: Urgency | undefined;
  /** The latest useful time to be sent, in milliseconds of `performance.now()`. */
  readonly latest: number;
  /** The failure of the attempt before, if the call is sent again. */
  readonly failedWith?: Failure | undefined;
  /** The time of the older answer that is shown if this call would have to wait. */
  readonly shownReadAt?: number | undefined;
  /** The claims of all that wait for it, if they may be several. */
  readonly claims?: Claims | undefined;
  /** Called with the time when the call is sent, in milliseconds of `performance.now()`; with undefined if it will be sent again later. */
  readonly onSent?: ((at: number | undefined) => void) | undefined;
  /** Absent for a write, and if replicas share no reads. */
  readonly before?: Before | undefined;
  /** How long the answer is fresh, in milliseconds; if absent, as the row says. */
  readonly freshMs?: number | undefined;
  /** Keeps the connection for this call until the promise is fulfilled, even if the call ends before. */
  readonly keepConnection?: ((until: Promise<void>) => void) | undefined;
}

/** Whether a kept answer is still fresh, and when its read was sent, in milliseconds of `performance.now()`. */
export interface KeptState {
  readonly state: 'fresh' | 'stale';
  readonly sentAt: number;
}

/** An upstream's answer, before it is decoded. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** When its call was sent, in milliseconds of `performance.now()`. */
  readonly sentAt: number;
  /** When it was read; only for an answer from memory. */
  readonly readAt?: number | undefined;
  /** Only for an answer of another process, whose changes are noted here later than they were made: when it still counted. */
  readonly currentAt?: number | undefined;
}

/**
 * Sends a call and returns its answer. Rejects with an `UpstreamError`.
 *
 * @param traceHeaders sent in place of the caller's `traceparent` and `tracestate`
 */
export type Send = (call: Call, traceHeaders?: readonly string[]) => Promise<Answer>;

/** One policy on the way of a call. */
export type Step = (call: Call, next: Send) => Promise<Answer>;

/** Puts steps before a `send`, the first one outermost. A step that is switched off is undefined. */
export const compose = (steps: readonly (Step | undefined)[], send: Send): Send =>
  steps.reduceRight<Send>((next, step) => (step ? (call) => step(call, next) : next), send);

export const isWrite = ({ row }: Pick<Call, 'row'>): boolean => row.operation.method !== 'GET';

/** Whether no request waits for the call. */
export const isBackgroundCall = ({ claims, priority }: Call): boolean =>
  claims?.areBackground ?? isBackground(priority);

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
    ...facts,
  });
};

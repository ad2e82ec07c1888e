import { type Failure, UpstreamError } from './error.ts';
import type { CallLog, Tell } from './events/fate.ts';
import type { Ages, Progress, Waits } from './events/request-facts.ts';
import { type Claims, isBackground, type Priority, type Urgency } from './gate/claims.ts';
import type { RestInterface } from './interface.ts';
import type { AnyOperation } from './operation.ts';
import type { OperationTime, TimeLimit } from './operation-time.ts';
import type { PathTemplate } from './path.ts';
import type { Members } from './profile.ts';
import type { Look } from './reads/shared-memory.ts';
import type { RequestSecrets } from './secrets.ts';
import type { OperationBudget } from './sending/budget.ts';

/** A row of an operation table, prepared. */
export interface Row {
  readonly api: RestInterface;
  readonly name: string;
  readonly operation: AnyOperation;
  readonly path: PathTemplate;
  /** Of a write: the paths of the reads that it changes. */
  readonly changes: readonly PathTemplate[];
  /** Of a list that comes in pages: the most rows of a page. */
  readonly pageSize?: number | undefined;
  /** See `Profile.whenNotRunning`. */
  readonly whenNotRunning?: string | undefined;
  /** What the profile makes of each record of an answer, and of a body. */
  readonly read?: ((record: Members) => Members) | undefined;
  readonly write?: ((body: Members) => Members) | undefined;
  /** Of a read: the parameters that those writes name which change all reads that begin alike. */
  readonly changedFrom?: readonly (readonly string[])[] | undefined;
}

/** The identifiers in a path, by their names in the template. */
export type Ids = Readonly<Record<string, string>>;

/** What a caller brought for one upstream. */
export type Credential =
  | { readonly kind: 'given'; readonly value: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly detail: string };

/** One request to the gateway, as far as one upstream may know of it. */
export interface Caller {
  readonly credential: Credential;
  readonly requestId: string;
  /** `traceparent` and `tracestate`, where they came: name, value, name, value. */
  readonly traceHeaders: readonly string[];
  /** Lists the request's calls; absent where nobody is going to see the list. */
  readonly calls: CallLog<Call> | undefined;
  /** What no text that leaves the gateway may hold. */
  readonly secrets: RequestSecrets;
  readonly budget: OperationBudget;
  /** Aborted when the caller has gone (`AbortError`) or the operation's time is up (`TimeoutError`). */
  readonly signal: AbortSignal;
  /** When the request came, in milliseconds of `performance.now()`. */
  readonly arrivedAt: number;
  readonly time: OperationTime;
  /** How long the reads of deferred parts may take. */
  readonly later: () => TimeLimit;
  /** Reads that were sent before then do not answer it, in milliseconds of `performance.now()`. */
  readonly readAfter: number;
  /** How old the answers are that came from memory. */
  readonly ages: Ages;
  /** How long its calls waited for their turn. */
  readonly waits: Waits;
  /** How many of its reads are ready. */
  readonly progress: Progress;
  /** Told what becomes of its calls. */
  readonly tell: Tell<Call>;
  /** The request's own reads of this upstream, by path: `once` keeps them. */
  readonly reads: Map<string, KnownRead>;
  /** The stream of events that it is an event of, if it is one. */
  readonly watcher?: Watcher | undefined;
}

/** A stream of events, as far as those need to know it who watch what its events have read. */
export interface Watcher {
  /** The number of its newest event, from 1. */
  readonly event: number;
  /** Whether its newest event lacks reads that are going to be there. */
  readonly isFilling: boolean;
  /** What it has read may have changed. */
  wake(): void;
}

/** A read that a request has made, or that is under way. */
interface KnownRead {
  readonly answer: Promise<Answer>;
  hasFailed: boolean;
  /** As it was made first. */
  readonly call: Call;
}

/** A read that is looked up without being sent. */
export type SoughtRead = Pick<Call, 'row' | 'holder' | 'path' | 'caller' | 'freshMs'>;

/** What replicas know of a read, as far as its way depends on it. */
export interface Asked {
  /** What they knew when they were asked last; undefined where they were out of reach. */
  readonly look: Look | undefined;
  /**
   * Asks again, after the read has waited: another may have read it meanwhile.
   *
   * @param readAfter when that has to be sent at the earliest
   */
  again(readAfter: number): Promise<Answer | undefined>;
  /** It is not read now: others need not wait for it. */
  release(): void;
}

/** One read or write on its way to an upstream: a value, which steps pass on as it is or with members replaced. */
export interface Call {
  /** The same in all copies that steps make of the call. */
  readonly id: object;
  readonly row: Row;
  readonly ids: Ids;
  /** The row's path, with the identifiers in their places. */
  readonly path: string;
  /** JSON; absent where the operation takes no body. */
  readonly body: string | undefined;
  readonly credential: string;
  /** Stands for the credential, whatever way it is spelt, where holding it is not needed. */
  readonly holder: string;
  readonly caller: Caller;
  /** Aborted when nobody waits for the answer any longer. */
  readonly signal: AbortSignal;
  /** Whether nothing that was read before may answer it: what it reads is to be written back. */
  readonly mustBeSent: boolean;
  readonly priority: Priority;
  /** What may raise the priority of a deferred read, while it waits. */
  readonly urgency?: Urgency | undefined;
  /** Until when it is worth waiting for its turn, in milliseconds of `performance.now()`. */
  readonly latest: number;
  /** What it failed with when it was sent before. */
  readonly failedWith?: Failure | undefined;
  /** When the older answer was read that is shown where this one would have to wait. */
  readonly shownReadAt?: number | undefined;
  /** All who wait for it, where they are several. */
  readonly claims?: Claims | undefined;
  /** Told when it is sent, in milliseconds of `performance.now()`, and with undefined when it is to be sent again later. */
  readonly onSent?: ((at: number | undefined) => void) | undefined;
  /** What replicas know of it, if it is a read and they share any. */
  readonly asked?: Asked | undefined;
  /** For how long its answer is fresh, in milliseconds; as its row says if absent. */
  readonly freshMs?: number | undefined;
  /** Keeps the call's connection from others until the promise is fulfilled, though the call may have its outcome before. */
  readonly keepConnection?: ((until: Promise<void>) => void) | undefined;
}

/** How a read that is known would answer now, and when it was sent, in milliseconds of `performance.now()`. */
export interface KeptState {
  readonly state: 'fresh' | 'stale';
  readonly sentAt: number;
}

/** An upstream's answer as it came. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** When its call was sent, in milliseconds of `performance.now()`. */
  readonly sentAt: number;
  /** When it was read, where it was kept since and no call was sent for it. */
  readonly readAt?: number | undefined;
}

/**
 * Takes a call to its answer. Rejects with an `UpstreamError`.
 *
 * @param traceHeaders sent in place of the caller's `traceparent` and `tracestate`
 */
export type Send = (call: Call, traceHeaders?: readonly string[]) => Promise<Answer>;

/** One policy of a call's way. */
export type Step = (call: Call, next: Send) => Promise<Answer>;

/** Puts steps before a `send`, the first one outermost; what is switched off is undefined. */
export const compose = (steps: readonly (Step | undefined)[], send: Send): Send =>
  steps.reduceRight<Send>((next, step) => (step ? (call) => step(call, next) : next), send);

export const isWrite = ({ row }: Pick<Call, 'row'>): boolean => row.operation.method !== 'GET';

/** Whether no request waits for it. */
export const isBackgroundCall = ({ claims, priority }: Call): boolean =>
  claims?.areBackground ?? isBackground(priority);

/** The error of a call that fails so. */
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

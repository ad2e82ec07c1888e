import type { UpstreamName } from './error.ts';
import type { Method } from './operation.ts';

export const cacheStates = ['miss', 'fresh', 'stale', 'shared'] as const;
export type CacheState = (typeof cacheStates)[number];

/** What becomes of a call, step by step. Each step is told once, when it happens. The type `Call` is in `call.ts`. */
export type Fate<Call> = { readonly call: Call } & (
  | {
      /** The call is answered from memory, with an answer of this age and status. */
      readonly kind: 'memory';
      readonly state: 'fresh' | 'stale';
      readonly ageMs: number;
      readonly status: number | undefined;
    }
  /** An equal read of the same request answers the call, now or later. `isTaken`: that read was begun early, for this call. */
  | { readonly kind: 'repeated'; readonly first: Call; readonly isTaken: boolean }
  | {
      /** The call has waited for an equal read of another request, and got its answer or an error. */
      readonly kind: 'joined';
      /** When the wait began, in milliseconds of `performance.now()`. */
      readonly since: number;
      readonly answer?: { readonly status: number; readonly sentAt: number };
      readonly error?: unknown;
    }
  /** The call begins to wait for its slot, or stops waiting. */
  | { readonly kind: 'queued' }
  | { readonly kind: 'dequeued' }
  /** The caller has waited for the call's turn, whether or not the call is sent then. */
  | { readonly kind: 'waited'; readonly waitedMs: number }
  /** The caller no longer waits, since the call's slot would come too late. */
  | { readonly kind: 'refused' }
  /** The call has its slot; its credential has `slotsLeft` more slots. */
  | { readonly kind: 'granted'; readonly waitedMs: number; readonly slotsLeft: number }
  | { readonly kind: 'sent' }
  | {
      /** A call that was sent has ended. */
      readonly kind: 'ended';
      readonly milliseconds: number;
      /** Absent if no answer came. */
      readonly status?: number;
      readonly error?: unknown;
    }
  /** The end: the caller has an answer, from any source, or an error. */
  | { readonly kind: 'answered' }
  | { readonly kind: 'failed'; readonly error: unknown; readonly milliseconds: number }
);

export type Tell<Call> = (fate: Fate<Call>) => void;

/** One upstream call of a request, for `Sluice-Explain`. Holds no header and no body. */
export interface ExplainedCall {
  readonly name: UpstreamName;
  readonly operation: string;
  readonly method: Method;
  /** The path below the upstream's base URL, with its identifiers. */
  readonly path: string;
  /** The HTTP status; null if no answer has come. */
  readonly status: number | null;
  /** From the sending to the end of the answer; null while the call is under way. */
  readonly milliseconds: number | null;
  /** One more than the highest round of the calls that had ended before this call began; 1 if none had. */
  readonly round: number;
  /** Whether the answer served several fields, or came from a read of another request with the same credential. */
  readonly shared: boolean;
  /** How long the call waited before it was sent. */
  readonly waitedMilliseconds: number;
  /** The source of the answer: the upstream, memory (fresh or stale), or a read of another request. */
  readonly cache: CacheState;
  /** The age of the answer; null if it was read for this request. */
  readonly ageSeconds: number | null;
}

/** The upstream calls of one request, in the order in which they began. */
export interface CallLog<Call> {
  readonly hear: Tell<Call>;
  list(): readonly ExplainedCall[];
}

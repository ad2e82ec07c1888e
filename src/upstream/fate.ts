import type { UpstreamName } from './error.ts';
import type { Method } from './operation.ts';

export const cacheStates = ['miss', 'fresh', 'stale', 'shared'] as const;
export type CacheState = (typeof cacheStates)[number];

/** An event in the life of a call. Each is told once, when it happens. `call.ts` has the type of a call. */
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
  /** The caller has waited that long for the call's turn, whether it is sent then or not. */
  | { readonly kind: 'waited'; readonly waitedMs: number }
  /** The caller waits no longer, since the call's slot would come too late. */
  | { readonly kind: 'refused' }
  /** The call has its slot; its credential has `slotsLeft` more. */
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
  /** The last event: the caller has an answer, from any source, or the error. */
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
  /** From sending to the end of the answer; null while the call is under way. */
  readonly milliseconds: number | null;
  /** 1 for a call that waited for no other; else one more than the highest round of the calls that had ended before it. */
  readonly round: number;
  /** Whether it answered more than one field, or was a read of another request with the same credential. */
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

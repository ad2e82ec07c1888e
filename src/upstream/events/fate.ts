import type { UpstreamName } from '../error.ts';
import type { Method } from '../operation.ts';

export const cacheStates = ['miss', 'fresh', 'stale', 'shared'] as const;
export type CacheState = (typeof cacheStates)[number];

/** What becomes of a call: each is told once, as it happens. Of what type a call is, is for `call.ts` to say. */
export type Fate<Call> = { readonly call: Call } & (
  | {
      /** It is answered from memory, with what was read so long ago, and the status that came then. */
      readonly kind: 'memory';
      readonly state: 'fresh' | 'stale';
      readonly ageMs: number;
      readonly status: number | undefined;
    }
  /** It is answered with what an equal read of the same request has come to, or will come to. */
  | { readonly kind: 'repeated'; readonly first: Call }
  | {
      /** It has waited for an equal read of another request: for its answer, or until the error came. */
      readonly kind: 'joined';
      /** Since when, in milliseconds of `performance.now()`. */
      readonly since: number;
      readonly answer?: { readonly status: number; readonly sentAt: number };
      readonly error?: unknown;
    }
  /** It begins to wait for its slot, and waits no longer. */
  | { readonly kind: 'queued' }
  | { readonly kind: 'dequeued' }
  /** Who makes it has waited so long for its turn, whether it is sent then or not. */
  | { readonly kind: 'waited'; readonly waitedMs: number }
  /** Who makes it waits no longer, since its slot would come too late. */
  | { readonly kind: 'refused' }
  /** It has its slot, and its credential has so many left. */
  | { readonly kind: 'granted'; readonly waitedMs: number; readonly slotsLeft: number }
  | { readonly kind: 'sent' }
  | {
      /** What was sent has come to this. */
      readonly kind: 'ended';
      readonly milliseconds: number;
      /** Absent where no answer came. */
      readonly status?: number;
      readonly error?: unknown;
    }
  /** The last of it: who made it has an answer, from wherever, or the error. */
  | { readonly kind: 'answered' }
  | { readonly kind: 'failed'; readonly error: unknown; readonly milliseconds: number }
);

export type Tell<Call> = (fate: Fate<Call>) => void;

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
  /** For how long it waited before it was sent. */
  readonly waitedMilliseconds: number;
  /** Where its answer came from: the upstream, memory while fresh or when no longer fresh, or another request's read. */
  readonly cache: CacheState;
  /** Since its answer was read; null where it was read for this request. */
  readonly ageSeconds: number | null;
}

/** The upstream calls of one request, in the order in which they began. */
export interface CallLog<Call> {
  readonly hear: Tell<Call>;
  list(): readonly ExplainedCall[];
}

import { type Call, isWrite } from '../call.ts';
import { UpstreamError, type UpstreamName } from '../error.ts';
import type { CacheState, Tell } from '../fate.ts';
import type { Method } from '../operation.ts';
import type { Priority } from '../priority.ts';
import type { DropReason } from '../reads/entries.ts';

/**
 * The outcome of a call that was sent: the class of its status (429 is a class of its own), `failed` without a readable
 * answer, or `given up` if the caller has left.
 */
const sentOutcomes = ['2xx', '3xx', '4xx', '429', '5xx', 'failed', 'given up'] as const;
type SentOutcome = (typeof sentOutcomes)[number];

/** What is counted of a call: only facts that many calls share. */
interface SentCall {
  readonly upstream: UpstreamName;
  /** The name of its row. */
  readonly operation: string;
  readonly method: Method;
  readonly outcome: SentOutcome;
  readonly milliseconds: number;
  /** Whether the call had been sent before and failed. */
  readonly isRetry: boolean;
  /** Used to count credentials. */
  readonly holder: string;
}

/**
 * Counts what happens to calls. All values except `holder`, which is no label, come from closed sets: never a path, an
 * identifier or a part of a credential.
 */
export interface Observer {
  /** A request's read is answered, from this source. Polls and renewals are no reads of a request. */
  read(upstream: UpstreamName, from: CacheState): void;
  dropped(reason: DropReason): void;
  /** One more call, or one fewer, waits for a slot. */
  waiting(upstream: UpstreamName, change: 1 | -1): void;
  /** A call got a slot, and its credential has `left` more slots. */
  granted(upstream: UpstreamName, waitedMs: number, left: number): void;
  /** A call is not sent, since its slot would come too late. */
  refused(upstream: UpstreamName, priority: Priority): void;
  sent(call: SentCall): void;
}

const outcomeOf = (status: number | undefined, error: unknown): SentOutcome => {
  if (status === undefined) {
    const isGivenUp = error instanceof UpstreamError && error.failure.reason === 'aborted';
    return isGivenUp ? 'given up' : 'failed';
  }
  if (status === 429) return '429';
  if (status < 300) return '2xx';
  if (status < 400) return '3xx';
  return status < 500 ? '4xx' : '5xx';
};

/** Tells an observer what happens to calls. */
export const createMetrics = (observer: Observer): Tell<Call> => {
  /** The last source of each call's answer. A repeated read is counted only once. */
  const from = new WeakMap<Call['id'], CacheState | 'repeated'>();
  return (fate) => {
    const { call } = fate;
    const { api, name, operation } = call.row;
    const upstream = api.name;
    const { destination } = api;
    switch (fate.kind) {
      case 'memory':
        from.set(call.id, fate.state);
        break;
      case 'joined':
        from.set(call.id, 'shared');
        break;
      case 'repeated':
        from.set(call.id, 'repeated');
        break;
      case 'queued':
        observer.waiting(destination, 1);
        break;
      case 'dequeued':
        observer.waiting(destination, -1);
        break;
      case 'granted':
        observer.granted(destination, fate.waitedMs, fate.slotsLeft);
        break;
      case 'refused':
        observer.refused(destination, call.priority);
        break;
      case 'ended':
        observer.sent({
          ...{ upstream, operation: name, method: operation.method },
          outcome: outcomeOf(fate.status, fate.error),
          milliseconds: fate.milliseconds,
          isRetry: call.failedWith !== undefined,
          holder: call.holder,
        });
        break;
      case 'answered':
      case 'failed': {
        const state = from.get(call.id) ?? 'miss';
        if (state !== 'repeated' && !isWrite(call)) observer.read(upstream, state);
      }
    }
  };
};

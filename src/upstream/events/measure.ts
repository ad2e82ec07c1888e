import { type CacheState, type CallNotes, isWrite, type Step } from '../call.ts';
import { type Failure, UpstreamError } from '../error.ts';
import type { Observer, SentOutcome } from './observer.ts';

/** What lets calls wait for their slots. */
interface Waiting {
  readonly step: Step;
  /** How many slots a holder has left. */
  left(holder: string): number;
}

/** The steps that tell an observer what becomes of calls. */
export interface Measure {
  /** Around all that may answer a read without a call of its own. */
  readonly reads: Step;
  /** Around what several requests share: each of them is refused by itself. */
  readonly refusals: Step;
  /** The step of pacing, with an eye on those who wait. */
  waiting(pace: Waiting): Step;
  /** Right before sending. */
  readonly sending: Step;
}

const failureOf = (error: unknown): Failure | undefined =>
  error instanceof UpstreamError ? error.failure : undefined;

const isRefused = (error: unknown): boolean => failureOf(error)?.reason === 'no-slot';

const outcomeOf = (status: number): SentOutcome => {
  if (status === 429) return '429';
  if (status < 300) return '2xx';
  if (status < 400) return '3xx';
  return status < 500 ? '4xx' : '5xx';
};

const nothing = (): void => undefined;

/** The notes of a call, or none, which also tell where its answer comes from. */
const telling = (notes: CallNotes | undefined, tell: (from: CacheState) => void): CallNotes => ({
  sent: () => notes?.sent() ?? nothing,
  usedAgain: () => notes?.usedAgain(),
  waited: (milliseconds) => notes?.waited(milliseconds),
  joined: (outcome) => {
    tell('shared');
    notes?.joined(outcome);
  },
  kept: (state, ageMs) => {
    tell(state);
    notes?.kept(state, ageMs);
  },
});

export const createMeasure = (observer: Observer): Measure => ({
  reads: async (call, next) => {
    if (isWrite(call)) return next(call);
    let from: CacheState = 'miss';
    const tell = (found: CacheState): void => {
      from = found;
    };
    try {
      return await next({ ...call, notes: telling(call.notes, tell) });
    } finally {
      observer.read(call.row.api.name, from);
    }
  },
  refusals: async (call, next) => {
    try {
      return await next(call);
    } catch (error) {
      if (isRefused(error)) observer.refused(call.row.api.name, call.priority);
      throw error;
    }
  },
  waiting:
    ({ step, left }) =>
    async (call, next) => {
      const { holder, row } = call;
      const upstream = row.api.name;
      let since = 0;
      let isWaiting = false;
      const begin = (): void => {
        since = performance.now();
        isWaiting = true;
        observer.waiting(upstream, 1);
      };
      const end = (): void => {
        if (isWaiting) observer.waiting(upstream, -1);
        isWaiting = false;
      };
      begin();
      try {
        return await step(call, async (granted) => {
          observer.granted(upstream, performance.now() - since, left(holder));
          end();
          return next(granted);
        });
      } finally {
        end();
      }
    },
  sending: async (call, next) => {
    const { api, name, operation } = call.row;
    const began = performance.now();
    let outcome: SentOutcome = 'failed';
    try {
      const answer = await next(call);
      outcome = outcomeOf(answer.status);
      return answer;
    } catch (error) {
      if (failureOf(error)?.reason === 'aborted') outcome = 'given up';
      throw error;
    } finally {
      observer.sent({
        ...{ upstream: api.name, operation: name, method: operation.method, outcome },
        milliseconds: performance.now() - began,
        isRetry: call.failedWith !== undefined,
      });
    }
  },
});

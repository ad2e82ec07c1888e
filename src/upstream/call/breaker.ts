import type { Breaker, CallOutcome } from '../breaker.ts';
import { UpstreamError } from '../error.ts';
import { outcomeOfAnswer, outcomeOfFailure } from '../outcome.ts';
import { type Call, failed, isWrite, type Step } from './call.ts';

/** The error of a call that an open breaker refuses. */
export const refusedByBreaker = (call: Call, { retryAfterSeconds }: Breaker): UpstreamError =>
  failed(call, { reason: 'circuit-open', retryAfterSeconds });

/** Refuses calls of an upstream that is down, and tells the breaker what the others came to. */
export const createBreakerStep =
  (breaker: Breaker): Step =>
  async (call, next) => {
    const settle = breaker.allow(call.credential);
    if (!settle) throw refusedByBreaker(call, breaker);
    let outcome: CallOutcome = 'unknown';
    try {
      const answer = await next(call);
      outcome = outcomeOfAnswer(isWrite(call), answer);
      return answer;
    } catch (error) {
      if (error instanceof UpstreamError) outcome = outcomeOfFailure(error.failure);
      throw error;
    } finally {
      settle(outcome);
    }
  };

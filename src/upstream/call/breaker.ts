import type { Breaker } from '../breaker.ts';
import { type Failure, UpstreamError } from '../error.ts';
import { outcomeOfAnswer, outcomeOfFailure } from '../outcome.ts';
import { type Call, failed, isWrite, type Step } from './call.ts';

/** The error of a call that an open breaker refuses. */
export const refusedByBreaker = (call: Call, { retryAfterSeconds }: Breaker): UpstreamError =>
  failed(call, { reason: 'circuit-open', retryAfterSeconds });

/** Refuses calls of an upstream that is down, and tells the breaker what the others came to. */
export const createBreakerStep =
  (breaker: Breaker): Step =>
  async (call, next) => {
    const { credential } = call;
    if (!breaker.allow(credential)) throw refusedByBreaker(call, breaker);
    try {
      const answer = await next(call);
      breaker.settle(outcomeOfAnswer(isWrite(call), answer), credential);
      return answer;
    } catch (error) {
      const failure: Failure | undefined =
        error instanceof UpstreamError ? error.failure : undefined;
      breaker.settle(failure ? outcomeOfFailure(failure) : 'unknown', credential);
      throw error;
    }
  };

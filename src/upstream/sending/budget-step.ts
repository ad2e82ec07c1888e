import { failed, isWrite, type Step } from '../call.ts';
import { UpstreamError, wasNeverSent } from '../error.ts';
import { unbounded } from './budget.ts';

/**
 * Counts the bytes that an operation reads, and refuses reads beyond its bound. An answer that is shared counts for each
 * operation that uses it. What a write answers is always used: it was carried out, and its answer may hold the
 * only copy of a secret.
 */
export const bytes: Step = async (call, next) => {
  const { budget } = call.caller;
  if (budget.isFull) throw failed(call, { reason: 'over-bytes' });
  const answer = await next(call);
  if (budget.receive(answer.body.length) || isWrite(call)) return answer;
  throw failed(call, { reason: 'over-bytes' });
};

/** Holds an operation to the calls that it may make in all. A call that is never sent does not count, and a renewal counts on nobody. */
export const budget: Step = async (call, next) => {
  const own = call.priority === 'renewal' ? unbounded : call.caller.budget;
  if (!own.take()) throw failed(call, { reason: 'over-budget' });
  try {
    const answer = await next(call);
    if (answer.readAt !== undefined) own.refund();
    return answer;
  } catch (error) {
    if (error instanceof UpstreamError && wasNeverSent(error.failure)) own.refund();
    throw error;
  }
};

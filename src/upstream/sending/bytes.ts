import { failed, isWrite, type Step } from '../call.ts';

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

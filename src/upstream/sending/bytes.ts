import { type Answer, type Call, failed, isWrite, type Send } from '../call.ts';

/**
 * Counts the bytes that an operation receives, and refuses reads beyond the limit. A shared answer counts for each
 * operation that uses it. The answer to a write is always used: the write was carried out, and its answer may hold the
 * only copy of a secret.
 */
export const bytes = async <Each extends Call>(call: Each, next: Send<Each>): Promise<Answer> => {
  const { budget } = call.caller;
  if (budget.isFull) throw failed(call, { reason: 'over-bytes' });
  const answer = await next(call);
  if (budget.receive(answer.body.length) || isWrite(call)) return answer;
  throw failed(call, { reason: 'over-bytes' });
};

import { isWrite, type Step } from './call.ts';

/**
 * The request's own memory: equal reads of one request are one call, whether it succeeds or fails. A write forgets them
 * as it starts and as it ends, since what was read before it, or beside it, may be what it changes.
 */
export const once: Step = async (call, next) => {
  const { reads } = call.caller;
  if (isWrite(call)) {
    reads.clear();
    try {
      return await next(call);
    } finally {
      reads.clear();
    }
  }
  if (call.fresh) return next(call);
  const known = reads.get(call.path);
  if (known) {
    known.notes?.usedAgain();
    return known.answer;
  }
  const answer = next(call);
  reads.set(call.path, { answer, notes: call.notes });
  return answer;
};

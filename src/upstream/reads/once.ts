import { isWrite, type Step } from '../call.ts';
import { Urgency } from '../priority.ts';
import type { ReadCall } from './read-call.ts';

/**
 * The request's own memory: equal reads of one request are one call, whether it succeeds or fails, until a write of the
 * request changes them (`writes.ts`). The first field that asks for a read that was begun early takes it; further fields
 * share it. A deferred read gets a higher priority once a field that is not deferred asks for it too.
 */
export const once: Step<ReadCall> = async (call, next) => {
  const { reads } = call.caller;
  if (isWrite(call)) return next(call);
  const known = call.mustBeSent ? undefined : reads.get(call.path);
  if (known) {
    const isTaken = known.isEarly || call.isEarly === true;
    if (!call.isEarly) known.isEarly = false;
    call.caller.tell({ kind: 'repeated', call, first: known.call, isTaken });
    if (call.priority !== 'deferred') known.call.urgency?.raise();
    return known.answer;
  }
  const first = call.priority === 'deferred' ? { ...call, urgency: new Urgency() } : call;
  const answer = next(first);
  const read = { answer, call: first, hasFailed: false, isEarly: call.isEarly === true };
  reads.set(call.path, read);
  answer.catch(() => {
    read.hasFailed = true;
  });
  return answer;
};

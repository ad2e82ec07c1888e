import { isWrite, type Step } from '../call.ts';
import { Urgency } from '../priority.ts';
import { changedBy, isAmong, tellingChanges } from './changes.ts';
import type { ReadCall } from './read-call.ts';

/**
 * The request's own memory: equal reads of one request are one call, whether it succeeds or fails. When a write begins and
 * when it ends, the request forgets the reads that the write changes, and all failed reads. A deferred read gets a higher
 * priority once a field that is not deferred asks for it too.
 */
export const once: Step<ReadCall> = async (call, next) => {
  const { reads } = call.caller;
  if (isWrite(call)) {
    const changed = changedBy(call);
    return tellingChanges(call, next, () => {
      for (const [path, { hasFailed }] of reads) {
        if (hasFailed || isAmong(changed, path)) reads.delete(path);
      }
    });
  }
  const known = call.mustBeSent ? undefined : reads.get(call.path);
  if (known) {
    call.caller.tell({ kind: 'repeated', call, first: known.call });
    if (call.priority !== 'deferred') known.call.urgency?.raise();
    return known.answer;
  }
  const first = call.priority === 'deferred' ? { ...call, urgency: new Urgency() } : call;
  const answer = next(first);
  const read = { answer, call: first, hasFailed: false };
  reads.set(call.path, read);
  answer.catch(() => {
    read.hasFailed = true;
  });
  return answer;
};

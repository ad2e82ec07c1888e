import type { Call } from '../call.ts';
import type { UpstreamError } from '../error.ts';
import type { Claim } from './claims.ts';

/** The claim of one who waits for a call. */
export const claimOf = (call: Call, refuse: (error: UpstreamError) => void): Claim => ({
  get priority() {
    return call.urgency?.apply(call.priority) ?? call.priority;
  },
  urgency: call.urgency,
  since: performance.now(),
  latest: call.latest,
  operation: call.caller,
  shownReadAt: call.shownReadAt,
  refuse: (error) => {
    call.caller.tell({ kind: 'refused', call });
    refuse(error);
  },
  onWaited: (waitedMs) => call.caller.tell({ kind: 'waited', call, waitedMs }),
});

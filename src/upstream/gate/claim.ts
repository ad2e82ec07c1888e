import { unbounded } from '../budget.ts';
import type { UpstreamError } from '../error.ts';
import { isBackground } from '../priority.ts';
import type { Claim } from './claims.ts';
import type { PacedCall } from './paced-call.ts';

/**
 * Makes the claim of a caller that waits for a call.
 *
 * @param want see `Claim`
 */
export const claimOf = (
  call: PacedCall,
  refuse: (error: UpstreamError) => void,
  want?: Claim['want'],
): Claim => ({
  get priority() {
    return call.urgency?.apply(call.priority) ?? call.priority;
  },
  urgency: call.urgency,
  since: performance.now(),
  latest: call.latest,
  operation: call.caller,
  isOfTool: call.isDirect,
  isFollowedUp: want !== undefined && call.caller.watcher?.event === 1,
  budget: isBackground(call.priority) ? unbounded : call.caller.budget,
  shownReadAt: call.shownReadAt,
  want,
  refuse: (error) => {
    call.caller.tell({ kind: 'refused', call });
    refuse(error);
  },
  onWaited: (waitedMs) => call.caller.tell({ kind: 'waited', call, waitedMs }),
});

import type { Call } from '../call.ts';
import type { UpstreamError } from '../error.ts';
import { unbounded } from '../sending/budget.ts';
import { type Claim, isBackground } from './claims.ts';

/**
 * Makes the claim of a caller that waits for a call.
 *
 * @param want see `Claim`
 */
export const claimOf = (
  call: Call,
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

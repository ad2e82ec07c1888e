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
  refuse,
  onWaited: (milliseconds) => {
    // Nobody waits for what is renewed behind the scenes.
    if (call.priority !== 'renewal') call.caller.waits.note(milliseconds);
  },
});

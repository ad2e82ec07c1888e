import type { Claim } from '../claims.ts';
import type { UpstreamError } from '../error.ts';
import { type Call, failed } from './call.ts';

/** The claim of one who waits for a call. `refuse` is told the error in which the waiting ends. */
export const claimOf = (call: Call, refuse: (error: UpstreamError) => void): Claim => ({
  priority: call.priority,
  since: performance.now(),
  latest: call.latest,
  waitsUntil: call.waitsUntil ?? Infinity,
  operation: call.caller,
  shownReadAt: call.shownReadAt,
  refuse: (retryAfterSeconds) => refuse(failed(call, { reason: 'no-slot', retryAfterSeconds })),
});

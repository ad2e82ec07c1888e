import { type Call, isBackgroundCall } from '../call.ts';
import type { Tell } from '../fate.ts';

/** Notes the ages of answers and the waits of calls, for the operation's log line and the header `Age`. */
export const facts: Tell<Call> = (fate) => {
  const { caller } = fate.call;
  if (fate.kind === 'memory') caller.ages.note(fate.ageMs, fate.state);
  // No request waits for the slot of a call in the background.
  if (fate.kind === 'waited' && !isBackgroundCall(fate.call)) caller.waits.note(fate.waitedMs);
};

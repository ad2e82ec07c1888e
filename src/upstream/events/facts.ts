import { type Call, isBackgroundCall } from '../call.ts';
import type { Tell } from './fate.ts';

/** Counts for the operation's line in the log, and for `Age`: how old its answers are, and how long its calls have waited. */
export const facts: Tell<Call> = (fate) => {
  const { caller } = fate.call;
  if (fate.kind === 'memory') caller.ages.note(fate.ageMs, fate.state);
  // Nobody waits for what is renewed behind the scenes.
  if (fate.kind === 'waited' && !isBackgroundCall(fate.call)) caller.waits.note(fate.waitedMs);
};

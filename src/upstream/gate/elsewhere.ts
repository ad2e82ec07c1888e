import { type Answer, type Call, failed } from '../call.ts';
import { pause } from '../sending/abort.ts';
import { isBackground } from './claims.ts';

/** A read that waits so long for its turn is left to any process that has its turn before, in milliseconds. */
const longMs = 50;
/** How long a request leaves it to a process that reads it, and how often it is looked for meanwhile, in milliseconds. */
const leftMs = 1500;
const againMs = 200;

/** What other processes do about a call, as long as it is not sent. Nothing, if it is no read or they share none. */
export interface Elsewhere {
  /** Waits for the call's turn, and has others read it first if that takes long. */
  during<Turn>(turn: Promise<Turn>): Promise<Turn>;
  /** Whether others may have read it since they were asked last. */
  readonly isUnknown: boolean;
  /** Asks them again. */
  look(): Promise<Answer | undefined>;
  /**
   * Whether the call is to give up its turn, since another process reads it right now. What a request has to wait for does so
   * once: the other process may hang.
   */
  readonly isReading: boolean;
  /** Waits until another process has read it, or does not read it any more. */
  untilRead(): Promise<Answer | undefined>;
}

export const createElsewhere = (call: Call): Elsewhere => {
  const { asked, claims, signal } = call;
  let isReleased = false;
  let wasLeft = false;
  const look = async (): Promise<Answer | undefined> => {
    const found = await asked?.again(call.caller.readAfter);
    if (found) call.onSent?.(found.sentAt);
    return found;
  };
  /** Whether no request has to wait for it. */
  const mayWait = (): boolean => claims?.mayWait ?? isBackground(call.priority);
  /** What can be shown meanwhile is shown in time. */
  const refuseLate = (): void => {
    for (const claim of claims?.list() ?? []) {
      if (claim.priority !== 'refresh' || claim.latest > performance.now()) continue;
      claims?.delete(claim);
      claim.want?.(claim.since);
      claim.refuse(failed(call, { reason: 'no-slot' }));
    }
  };
  return {
    during: (turn) => {
      if (!asked) return turn;
      const timer = setTimeout(() => {
        isReleased = true;
        asked.release();
      }, longMs);
      return turn.finally(() => clearTimeout(timer));
    },
    get isUnknown() {
      return isReleased;
    },
    look,
    get isReading() {
      const mayLeave = mayWait() || (isReleased && !wasLeft);
      return mayLeave && asked?.look?.reader === 'another';
    },
    untilRead: async () => {
      const until = performance.now() + leftMs;
      wasLeft ||= !mayWait();
      while ((mayWait() || performance.now() < until) && !signal.aborted) {
        refuseLate();
        await pause(againMs, signal);
        const found = await look();
        if (found || asked?.look?.reader !== 'another') return found;
      }
      return undefined;
    },
  };
};

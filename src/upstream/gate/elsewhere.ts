import { type Answer, type Call, failed } from '../call.ts';
import { pause } from '../sending/abort.ts';
import { isBackground } from './claims.ts';

/** How long a read waits for its turn before another process may read it instead, in milliseconds. */
const longMs = 50;
/** How long a request waits for the answer of another process, and how often it looks for that answer, in milliseconds. */
const leftMs = 1500;
const againMs = 200;

/** What other processes do about a read that this process has not sent yet. */
export interface Elsewhere {
  /** Waits for the call's turn. If this takes long, another process may read it first. */
  during<Turn>(turn: Promise<Turn>): Promise<Turn>;
  /** Whether another process may have read it since the last look. */
  readonly isUnknown: boolean;
  /** Looks again for an answer of another process. */
  look(): Promise<Answer | undefined>;
  /**
   * Whether the call must give up its turn, since another process is reading it right now. A read that a request needs
   * gives up its turn only once, since the other process may hang.
   */
  readonly isReading: boolean;
  /** Waits until another process has read it, or no longer reads it. */
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
  /** Whether no request has to wait for the call. */
  const mayWait = (): boolean => claims?.mayWait ?? isBackground(call.priority);
  /** Refuses refreshes whose time is up, so that their older answers are shown in time. */
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

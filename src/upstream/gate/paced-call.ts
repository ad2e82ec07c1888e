import type { Answer } from '../call.ts';
import type { SentCall } from '../sending/sent-call.ts';
import type { Claims } from './claims.ts';

/**
 * Asks whether a read still has to be sent: before it waits for its slot, and when it has its slot. Resolves with an
 * answer that was found meanwhile, or with `leave` if the read must give its slot back and wait anew.
 */
export type Before = (moment: 'queue' | 'turn') => Promise<Answer | 'send' | 'leave'>;

/** A call that waits for its slot. */
export interface PacedCall extends SentCall {
  /** The claims of all who wait for the call; absent if only its own caller does. */
  readonly claims?: Claims | undefined;
  /** Absent for a write, and if replicas share no reads. */
  readonly before?: Before | undefined;
  /**
   * Whether it is for a REST tool, which gets the upstream's own answer: no failure from memory, and no read in the
   * background later.
   */
  readonly isDirect?: boolean | undefined;
}

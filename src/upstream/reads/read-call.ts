import type { PacedCall } from '../gate/paced-call.ts';

/** A call as a request or a poll makes it: it may not have to be sent. */
export interface ReadCall extends PacedCall {
  /** Whether memory must not answer it, since the answer is going to be written back. */
  readonly mustBeSent: boolean;
  /** Whether it begins before the field that needs it is resolved. */
  readonly isEarly?: boolean | undefined;
  /** How long the answer is fresh, in milliseconds; if absent, as the row says. */
  readonly freshMs?: number | undefined;
}

/** The members of a read that a lookup needs, without sending it. */
export type SoughtRead = Pick<ReadCall, 'row' | 'holder' | 'path' | 'caller' | 'freshMs'>;

/** Whether a kept answer is still fresh, and when its read was sent, in milliseconds of `performance.now()`. */
export interface KeptState {
  readonly state: 'fresh' | 'stale';
  readonly sentAt: number;
}

import type { PacedCall } from '../gate/paced-call.ts';

/** A call as a request or a poll makes it. The table may answer it without sending it. */
export interface ReadCall extends PacedCall {
  /** Whether the call must be sent although memory has an answer, since the answer is going to be written back. */
  readonly mustBeSent: boolean;
  /** Whether it begins before the field that needs it is resolved. */
  readonly isEarly?: boolean | undefined;
  /** How long the answer is fresh, in milliseconds; the row decides if absent. */
  readonly freshMs?: number | undefined;
}

/** The part of a read that is needed to look it up without sending it. */
export type SoughtRead = Pick<
  ReadCall,
  'row' | 'holder' | 'path' | 'caller' | 'freshMs' | 'isDirect'
>;

/** Whether a kept answer is still fresh, and when its read was sent, in milliseconds of `performance.now()`. */
export interface KeptState {
  readonly state: 'fresh' | 'stale';
  readonly sentAt: number;
}

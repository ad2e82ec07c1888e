import type { Call } from '../call.ts';

/** A call that is about to be sent. */
export interface SentCall extends Call {
  /** The media types that the caller accepts; JSON if absent. */
  readonly accept?: string | undefined;
  /** Called with the time of `performance.now()` when the call is sent; with undefined if it will be sent again. */
  readonly onSent?: ((at: number | undefined) => void) | undefined;
  /** Keeps the connection occupied until the promise is fulfilled, even if the call ends before. */
  readonly keepConnection?: ((until: Promise<void>) => void) | undefined;
}

/** How long the calls of one request waited for their turn. */
export interface Waits {
  /** Notes that a call has waited so long, whether it was sent then or not. */
  note(milliseconds: number): void;
  /** The longest wait of all calls so far, in milliseconds. */
  readonly longestMs: number;
}

export const createWaits = (): Waits => {
  let longestMs = 0;
  return {
    note: (milliseconds) => {
      longestMs = Math.max(longestMs, milliseconds);
    },
    get longestMs() {
      return longestMs;
    },
  };
};

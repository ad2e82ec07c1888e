import type { Rate } from '../upstream/gate/slots.ts';

/** How many polls a credential may make. Times are in milliseconds. */
export interface Quota {
  /** When the next poll may start; later than any time while too many are unanswered. */
  readonly roomAt: number;
  /** The same for a poll that takes its turn: they are spread evenly. */
  readonly turnAt: number;
  /** A poll starts. To be called back once it is answered, or has failed, and told whether it was sent. */
  take(): (wasSent: boolean) => void;
}

/** The share of a credential's calls that its polls may take together. */
const share = 0.3;

const unlimited: Quota = { roomAt: -Infinity, turnAt: -Infinity, take: () => () => undefined };

/**
 * Lets so many polls be sent in any window as are a share of the rate; one process alone may always send one. A poll may wait long before it is
 * sent, so that it takes its place from its start until a window after its answer.
 *
 * @param sharers how many processes poll with the same credential
 */
export const createQuota = (rate: Rate | undefined, now: () => number, sharers = 1): Quota => {
  if (!rate) return unlimited;
  const part = (rate.calls * share) / sharers;
  const most = Math.max(1, Math.floor(part));
  // Who may send less than one in a window may send one in several.
  const windowMs = sharers > 1 && part < 1 ? rate.windowMs / part : rate.windowMs;
  /** When the last polls were answered, the oldest first. */
  const answeredAt: number[] = Array.from({ length: most }, () => -Infinity);
  let unanswered = 0;
  let startedAt = -Infinity;
  const roomAt = (): number => (answeredAt[unanswered] ?? Infinity) + windowMs;
  return {
    get roomAt() {
      return roomAt();
    },
    get turnAt() {
      return Math.max(roomAt(), startedAt + windowMs / most);
    },
    take: () => {
      unanswered += 1;
      const startedBefore = startedAt;
      startedAt = now();
      return (wasSent) => {
        unanswered -= 1;
        if (!wasSent) {
          startedAt = startedBefore;
          return;
        }
        answeredAt.shift();
        answeredAt.push(now());
      };
    },
  };
};

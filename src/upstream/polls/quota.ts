import type { Rate } from '../gate/slots.ts';

/** When polls of a credential may start. Times are in milliseconds. */
export interface Quota {
  /** When the next poll may start; `Infinity` while too many polls are unanswered. */
  readonly roomAt: number;
  /** When the next poll may start that follows no write: such polls are spread evenly. */
  readonly turnAt: number;
  /**
   * Notes that a poll starts. The returned function must be called once the poll has ended, with whether it was sent.
   * If it was not, it does not count; but if it was refused, the next one still waits for its turn.
   */
  take(): (wasSent: boolean, wasRefused?: boolean) => void;
}

/** The share of a credential's rate that its polls may use together. */
const share = 0.3;

const unlimited: Quota = { roomAt: -Infinity, turnAt: -Infinity, take: () => () => undefined };

/**
 * Limits polls to a share of the rate in any window, but a process that shares with no other may always send one.
 * A poll may wait long before it is sent, so it counts from its start until one window after its answer.
 *
 * @param sharers how many processes poll with the same credential
 */
export const createQuota = (rate: Rate | undefined, now: () => number, sharers = 1): Quota => {
  if (!rate) return unlimited;
  const part = (rate.calls * share) / sharers;
  const most = Math.max(1, Math.floor(part));
  // If the process has less than one poll a window, it has one poll in several windows.
  const windowMs = sharers > 1 && part < 1 ? rate.windowMs / part : rate.windowMs;
  /** When the last polls were answered, oldest first. */
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
      return (wasSent, wasRefused = false) => {
        unanswered -= 1;
        if (!wasSent) {
          if (!wasRefused) startedAt = startedBefore;
          return;
        }
        answeredAt.shift();
        answeredAt.push(now());
      };
    },
  };
};

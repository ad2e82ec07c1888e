import type { Priority } from '../priority.ts';

/** The most reads of tools in a row while reads in the background wait. */
const mostInRow = 3;

/** The priorities of reads in the background, which wait behind tools. */
const behind: ReadonlySet<Priority> = new Set(['wanted', 'refresh', 'renewal']);

/** The turns of an operation's next read and of its next deferred read. */
export interface Turns {
  read: number;
  deferred: number;
}

/** The slots as known at one time, in milliseconds of `performance.now()`. */
export interface Slots {
  readonly time: number;
  /** When each slot is free, earliest first. */
  readonly free: readonly number[];
  /** Whether the times are certain. If not, other processes may have taken slots, or given some back. */
  readonly areKnown: boolean;
}

/** A call that was sent. */
interface Sent {
  readonly priority: Priority;
  readonly isOfTool: boolean | undefined;
  readonly turn: number;
  readonly isLow: boolean;
  readonly isOverdue: boolean;
}

/**
 * The turns of the REST tools of one credential, which are one operation: so a script in a loop stops neither pages nor
 * reads in the background, and neither stops the script.
 */
export type ToolTurns = ReturnType<typeof createToolTurns>;

export const createToolTurns = (windowMs: number) => {
  const next: Turns = { read: 0, deferred: 0 };
  let readsInRow = 0;
  let overdueSentAt = -Infinity;

  /** After which time a call is overdue. With one slot in a window, overdue calls would take each slot. */
  const overdueMs = ({ free }: Slots): number => (free.length > 1 ? 1 : 3) * windowMs;

  return {
    /**
     * The turns of the next calls, moved next to the least ones of all others that wait. Without that, tools would always
     * come first after a pause, and always last after many calls.
     *
     * @param least `Infinity` where no other waits
     */
    beside: (least: Turns): Turns => {
      for (const among of ['read', 'deferred'] as const) {
        if (least[among] === Infinity) continue;
        next[among] = Math.min(least[among] + 0.5, Math.max(least[among] - 0.5, next[among]));
      }
      return { ...next };
    },
    /** Whether the call that has waited longest, since this time, comes before all reads: once in a window at most. */
    isOverdue: (since: number, slots: Slots): boolean =>
      Math.max(since, overdueSentAt) <= slots.time - overdueMs(slots),
    /** When the call that has waited longest is sent at the latest: once it is overdue, a slot is free within a window. */
    latest: (since: number, slots: Slots): number =>
      Math.max(since, overdueSentAt) + overdueMs(slots) + windowMs,
    /** Lets a read in the background come after each three reads of tools. */
    withBackground: <Call>(
      before: readonly Call[],
      background: readonly Call[],
      isRead: (call: Call) => boolean,
    ): readonly Call[] => {
      const left = [...background];
      let inRow = readsInRow;
      const mixed = before.flatMap((call) => {
        if (!isRead(call)) return [call];
        const between = inRow < mostInRow ? [] : left.splice(0, 1);
        inRow = between.length > 0 ? 1 : inRow + 1;
        return [...between, call];
      });
      return [...mixed, ...left];
    },
    sent: ({ priority, isOfTool, turn, isLow, isOverdue }: Sent): void => {
      if (isOverdue) overdueSentAt = performance.now();
      if (isOfTool) {
        const among = priority === 'tool' ? 'deferred' : 'read';
        next[among] = Math.max(turn, next[among]) + 1;
      }
      if (priority === 'tool') readsInRow += 1;
      else if (isLow && behind.has(priority)) readsInRow = 0;
    },
  };
};

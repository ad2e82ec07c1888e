import type { Priority } from '../priority.ts';

/** The most calls of tools in a row while others wait behind them. */
const mostInRow = 2;

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
  readonly isOverdue: boolean;
  readonly isBehind: boolean;
}

/** A call that waits. */
interface Waiting {
  readonly claim: { readonly isOfTool?: boolean | undefined };
  readonly isBehind: boolean;
}

/**
 * The turns of the REST tools of one credential, which are one operation: so a script in a loop stops neither pages nor
 * reads in the background, and neither stops the script. A class, since ten thousand credentials have one each.
 */
export class ToolTurns {
  readonly #windowMs: number;
  readonly #next: Turns = { read: 0, deferred: 0 };
  #sentInRow = 0;
  #overdueSentAt = -Infinity;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /**
   * The turns of the next calls, moved next to the least ones of all others that wait. Without that, tools would always
   * come first after a pause, and always last after many calls.
   *
   * @param least `Infinity` where no other waits
   */
  beside(least: Turns): Turns {
    for (const among of ['read', 'deferred'] as const) {
      if (least[among] === Infinity) continue;
      const turn = Math.max(least[among] - 0.5, this.#next[among]);
      this.#next[among] = Math.min(least[among] + 0.5, turn);
    }
    return { ...this.#next };
  }

  /** Whether the call that has waited longest, since this time, comes before all reads: once in a window at most. */
  isOverdue(since: number, slots: Slots): boolean {
    return Math.max(since, this.#overdueSentAt) <= slots.time - this.#overdueMs(slots);
  }

  /** When the call that has waited longest is sent at the latest: once it is overdue, a slot is free within a window. */
  latest(since: number, slots: Slots): number {
    return Math.max(since, this.#overdueSentAt) + this.#overdueMs(slots) + this.#windowMs;
  }

  /** Lets one of the calls behind tools come after each two calls of tools. */
  lettingPass<Call extends Waiting>(
    calls: readonly Call[],
    isAfter: (call: Call) => boolean,
  ): readonly Call[] {
    const behind: Call[] = [];
    const others: Call[] = [];
    for (const call of calls) {
      if (!call.claim.isOfTool && isAfter(call)) behind.push({ ...call, isBehind: true });
      else others.push(call);
    }
    let inRow = this.#sentInRow;
    const mixed = others.flatMap((call) => {
      if (!call.claim.isOfTool) return [call];
      const between = inRow < mostInRow ? [] : behind.splice(0, 1);
      inRow = between.length > 0 ? 1 : inRow + 1;
      return [...between, call];
    });
    return [...mixed, ...behind];
  }

  sent({ priority, isOfTool, turn, isOverdue, isBehind }: Sent): void {
    if (isOverdue) this.#overdueSentAt = performance.now();
    if (isBehind) this.#sentInRow = 0;
    if (!isOfTool) return;
    const among = priority === 'tool' ? 'deferred' : 'read';
    this.#next[among] = Math.max(turn, this.#next[among]) + 1;
    this.#sentInRow += 1;
  }

  /** After which time a call is overdue. With one slot in a window, overdue calls would take each slot. */
  #overdueMs({ free }: Slots): number {
    return (free.length > 1 ? 1 : 3) * this.#windowMs;
  }
}

import { type Answer, type Asked, type Call, isWrite, type Send, type Step } from '../call.ts';
import { claimOf } from '../gate/claim.ts';
import { Claims } from '../gate/claims.ts';
import { givenUp, untilAborted } from '../sending/abort.ts';
import { createSharedBudget, type SharedBudget } from '../sending/budget.ts';
import { changedBy, isAmong, tellingChanges, type WritePhase } from './changes.ts';

/** A read under way that several requests wait for. It is given up when the last of them has left. */
class SharedRead {
  readonly budget: SharedBudget = createSharedBudget();
  readonly answer: Promise<Answer>;
  readonly #controller = new AbortController();
  readonly #claims = new Claims();
  readonly #asked: Asked | undefined;
  /** When its answer has to be sent at the earliest for all who wait. */
  #readAfter: number;
  #sentAt: number | undefined;
  #changedAt = -Infinity;

  constructor(call: Call, next: Send) {
    const { asked } = call;
    this.budget.add(call.budget);
    this.#asked = asked;
    this.#readAfter = call.caller.readAfter;
    this.answer = next({
      ...call,
      asked: asked && {
        get changes() {
          return asked.changes;
        },
        again: () => asked.again(this.#readAfter),
      },
      budget: this.budget,
      claims: this.#claims,
      signal: this.#controller.signal,
      onSent: (at) => {
        this.#sentAt = at;
      },
    });
  }

  /** Each request waits by itself: for as long as it has time, whoever else waits. */
  async wait(call: Call): Promise<Answer> {
    const refusal = Promise.withResolvers<never>();
    this.#readAfter = Math.max(this.#readAfter, call.caller.readAfter);
    const claim = claimOf(call, (error) => {
      refusal.reject(error);
      leave();
    });
    const leave = (): void => {
      this.#claims.delete(claim);
      if (this.#claims.isEmpty) this.#controller.abort(call.signal.reason);
    };
    this.#claims.add(claim);
    const outcome = Promise.race([this.answer, refusal.promise]);
    try {
      return await untilAborted(outcome, call.signal, () => {
        leave();
        return givenUp(call);
      });
    } finally {
      leave();
    }
  }

  /** A write has changed what it may have read. */
  change(): void {
    this.#changedAt = performance.now();
  }

  /**
   * Whether that call may join: not what is given up already, nor what is not sent for want of budget, nor what was sent
   * before a change, as far as this process or the others know, or before the caller wants it read.
   */
  isOpenTo({ caller, asked }: Call): boolean {
    if (this.#controller.signal.aborted || this.budget.isSpent) return false;
    const sentAt = this.#sentAt;
    const hasChanged = asked?.changes !== undefined && asked.changes !== this.#asked?.changes;
    if (sentAt !== undefined && hasChanged) return false;
    return sentAt === undefined || (sentAt > this.#changedAt && sentAt >= caller.readAfter);
  }
}

export interface Share {
  readonly step: Step;
  /** Whether another read of that holder is under way whose path differs from that one in its last part alone. */
  isReadingBeside(holder: string, path: string): boolean;
}

/**
 * Equal reads under way of one holder are one call, whichever requests they belong to. Nothing is kept
 * once it has ended. A read that was sent before a write that changes it began or ended is joined by nobody afterwards.
 */
export const createShare = (): Share => {
  /** By holder and path. The path is as it was written, since all who wait get the same records. */
  const underWay = new Map<string, Map<string, SharedRead>>();

  const start = (call: Call, next: Send): SharedRead => {
    const { holder, path } = call;
    const read = new SharedRead(call, next);
    const reads = underWay.get(holder) ?? new Map<string, SharedRead>();
    underWay.set(holder, reads.set(path, read));
    const leave = (): void => {
      if (reads.get(path) === read) reads.delete(path);
      if (reads.size === 0 && underWay.get(holder) === reads) underWay.delete(holder);
    };
    read.answer.then(leave, leave);
    return read;
  };

  const change = (write: Call, phase: WritePhase): void => {
    const isForAll = phase === 'succeeded' && write.row.api.pathsNameOwner;
    const changed = changedBy(write);
    const own = underWay.get(write.holder);
    for (const reads of isForAll ? underWay.values() : own ? [own] : []) {
      for (const [path, read] of reads) if (isAmong(changed, path)) read.change();
    }
  };

  return {
    step: async (call, next) => {
      if (isWrite(call)) return tellingChanges(call, next, (phase) => change(call, phase));
      if (call.fresh || call.signal.aborted) return next(call);
      const equal = underWay.get(call.holder)?.get(call.path);
      if (!equal?.isOpenTo(call)) return start(call, next).wait(call);
      equal.budget.add(call.budget);
      const answer = equal.wait(call);
      call.notes?.joined(answer);
      return answer;
    },
    isReadingBeside: (holder, path) => {
      const last = path.lastIndexOf('/') + 1;
      return [...(underWay.get(holder)?.keys() ?? [])].some(
        (other) =>
          other !== path &&
          other.lastIndexOf('/') + 1 === last &&
          other.startsWith(path.slice(0, last)),
      );
    },
  };
};

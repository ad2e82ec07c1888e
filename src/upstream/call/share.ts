import { createSharedBudget, type SharedBudget } from '../budget.ts';
import { givenUp, untilAborted } from './abort.ts';
import { type Answer, type Call, isWrite, type Send, type Step } from './call.ts';

/** A read under way that several requests wait for. It is given up when the last of them has left. */
class SharedRead {
  readonly budget: SharedBudget = createSharedBudget();
  readonly answer: Promise<Answer>;
  readonly #controller = new AbortController();
  #waiting = 0;

  constructor(call: Call, next: Send) {
    this.budget.add(call.budget);
    this.answer = next({ ...call, budget: this.budget, signal: this.#controller.signal });
  }

  /** Each request waits by itself: for as long as it has time, whoever else waits. */
  wait(call: Call): Promise<Answer> {
    this.#waiting += 1;
    return untilAborted(this.answer, call.signal, () => {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#controller.abort(call.signal.reason);
      return givenUp(call);
    });
  }

  /** Whether others may join: not what is given up already, nor what is not sent for want of budget. */
  get isOpen(): boolean {
    return !this.#controller.signal.aborted && !this.budget.isSpent;
  }
}

/**
 * Equal reads under way, of the very same credential, are one call, whichever requests they belong to. Nothing is kept
 * once it has ended. What a credential reads after a write of its own began, or ended, joins nothing that was sent before.
 */
export const createShare = (): Step => {
  // By credential, then by path: joined strings could be made to collide.
  const underWay = new Map<string, Map<string, SharedRead>>();

  const start = (call: Call, next: Send): SharedRead => {
    const read = new SharedRead(call, next);
    const reads = underWay.get(call.credential) ?? new Map<string, SharedRead>();
    underWay.set(call.credential, reads.set(call.path, read));
    const leave = (): void => {
      if (reads.get(call.path) === read) reads.delete(call.path);
      if (reads.size === 0 && underWay.get(call.credential) === reads) {
        underWay.delete(call.credential);
      }
    };
    read.answer.then(leave, leave);
    return read;
  };

  return async (call, next) => {
    if (isWrite(call)) {
      underWay.delete(call.credential);
      try {
        return await next(call);
      } finally {
        underWay.delete(call.credential);
      }
    }
    if (call.fresh || call.signal.aborted) return next(call);
    const equal = underWay.get(call.credential)?.get(call.path);
    if (!equal?.isOpen) return start(call, next).wait(call);
    equal.budget.add(call.budget);
    const answer = equal.wait(call);
    call.notes?.joined(answer);
    return answer;
  };
};

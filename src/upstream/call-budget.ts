import type { CancelListener, Cancellation } from './cancellation.ts';

/** Counts upstream calls, and limits them in all and at a time. */
export interface CallCount {
  /** Whether one more call may be made; counts it. */
  take(): boolean;
  /** Takes back the count of a call that was not made after all. */
  refund(): void;
  /** Waits until fewer than may be are under way; each that has begun must end. Nothing to wait for gives undefined. */
  begin(cancellation: Cancellation): Promise<void> | undefined;
  end(): void;
}

/** How many upstream calls one operation may make. */
export interface CallBudget extends CallCount {
  /** How many were made so far. */
  readonly taken: number;
}

/** A class, since V8 gives each object literal with a getter a hidden class of its own; see `BoundUpstream`. */
class Budget implements CallBudget {
  taken = 0;
  readonly #max: number;
  readonly #maxParallel: number;
  #underWay = 0;
  /** Made for the first that waits: most operations make few calls. */
  #queue: (() => void)[] | undefined;

  constructor(max: number, maxParallel: number) {
    this.#max = max;
    this.#maxParallel = maxParallel;
  }

  take(): boolean {
    if (this.taken >= this.#max) return false;
    this.taken += 1;
    return true;
  }

  refund(): void {
    this.taken -= 1;
  }

  begin(cancellation: Cancellation): Promise<void> | undefined {
    if (this.#underWay < this.#maxParallel) {
      this.#underWay += 1;
      return undefined;
    }
    this.#queue ??= [];
    const queue = this.#queue;
    return new Promise((resolve) => {
      const go = (): void => {
        cancellation.ignore(listener);
        this.#underWay += 1;
        resolve();
      };
      const listener: CancelListener = {
        // Whoever is told to go goes at once, to find that nobody waits any longer.
        cancelled: () => {
          const index = queue.indexOf(go);
          if (index < 0) return;
          queue.splice(index, 1);
          this.#underWay += 1;
          resolve();
        },
      };
      queue.push(go);
      cancellation.listen(listener);
    });
  }

  end(): void {
    this.#underWay -= 1;
    // One that was told that it is cancelled counts too, until it ends.
    if (this.#underWay < this.#maxParallel) this.#queue?.shift()?.();
  }
}

export const createCallBudget = (max: number, maxParallel: number): CallBudget =>
  new Budget(max, maxParallel);

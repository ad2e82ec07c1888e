import type { CancelListener, Cancellation } from './cancellation.ts';

/** How many upstream calls one operation may make, in all and at a time, and how long their answers may be. */
export interface CallBudget {
  /** Whether one more call may be made; counts it. */
  take(): boolean;
  /** Takes back the count of a call that was not made after all. */
  refund(): void;
  /** Waits until fewer than may be are under way; each that has begun must end. Nothing to wait for gives undefined. */
  begin(cancellation: Cancellation): Promise<void> | undefined;
  end(): void;
  /** How many were made so far. */
  readonly taken: number;
  /** Counts an answer that has arrived; whether it, with all before it, is no longer than answers may be. */
  receive(bytes: number): boolean;
  /** Whether the answers so far are longer than they may be: no further one could be used. */
  readonly isFull: boolean;
}

/** A class, since V8 gives each object literal with a getter a hidden class of its own; see `BoundUpstream`. */
class Budget implements CallBudget {
  taken = 0;
  readonly #max: number;
  readonly #maxParallel: number;
  readonly #maxBytes: number;
  #bytes = 0;
  #underWay = 0;
  /** Made for the first that waits: most operations make few calls. */
  #queue: (() => void)[] | undefined;

  constructor(max: number, maxParallel: number, maxBytes: number) {
    this.#max = max;
    this.#maxParallel = maxParallel;
    this.#maxBytes = maxBytes;
  }

  take(): boolean {
    if (this.taken >= this.#max) return false;
    this.taken += 1;
    return true;
  }

  get isFull(): boolean {
    return this.#bytes > this.#maxBytes;
  }

  receive(bytes: number): boolean {
    this.#bytes += bytes;
    return !this.isFull;
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
    this.#queue?.shift()?.();
  }
}

export const createCallBudget = (max: number, maxParallel: number, maxBytes: number): CallBudget =>
  new Budget(max, maxParallel, maxBytes);

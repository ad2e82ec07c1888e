import type { Cancellation } from './cancellation.ts';

/** How many upstream calls one operation may make, in all and at a time. */
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
}

export const createCallBudget = (max: number, maxParallel: number): CallBudget => {
  let taken = 0;
  let underWay = 0;
  const queue: (() => void)[] = [];
  return {
    get taken() {
      return taken;
    },
    take: () => {
      if (taken >= max) return false;
      taken += 1;
      return true;
    },
    refund: () => {
      taken -= 1;
    },
    begin: (cancellation) => {
      if (underWay < maxParallel) {
        underWay += 1;
        return undefined;
      }
      return new Promise((resolve) => {
        const go = (): void => {
          release();
          underWay += 1;
          resolve();
        };
        queue.push(go);
        const release = cancellation.onCancel(() => {
          // Whoever is told to go goes at once, to find that nobody waits any longer.
          const index = queue.indexOf(go);
          if (index < 0) return;
          queue.splice(index, 1);
          underWay += 1;
          resolve();
        });
      });
    },
    end: () => {
      underWay -= 1;
      queue.shift()?.();
    },
  };
};

/** How many waiting tasks may go on in one turn of the event loop, and how long a turn may last, in milliseconds. */
const mostAtOnce = 8;
const turnMs = 5;

let turnBegan: number | undefined;

/** Whether this turn of the event loop has lasted so long that other work should wait for a later turn. */
export const isTurnOver = (): boolean => {
  const now = performance.now();
  if (turnBegan === undefined) {
    turnBegan = now;
    setImmediate(() => {
      turnBegan = undefined;
    });
  }
  return now - turnBegan > turnMs;
};

/** Makes a function that waits. Waiting tasks go on a few at a time, so that requests are served in between. */
export const createYield = (): (() => Promise<void>) => {
  const waiting = new Set<() => void>();
  const open = async (): Promise<void> => {
    let gone = 0;
    for (const go of waiting) {
      go();
      // The task must begin before it leaves the queue, so that its work counts.
      await undefined;
      await undefined;
      waiting.delete(go);
      gone += 1;
      if (gone === mostAtOnce || isTurnOver()) break;
    }
    if (waiting.size > 0) setImmediate(open);
  };
  return () =>
    new Promise((resolve) => {
      waiting.add(resolve);
      if (waiting.size === 1) setImmediate(open);
    });
};

const untilTurn = createYield();

/** The work of one request, in several turns of the event loop, so that other requests are served in between. */
export class Turns {
  #waiting = 0;
  #whenWorkedOff: (() => void)[] = [];

  /** Waits for a later turn if this turn is over. Call it before each piece of work on many rows. */
  async giveWay(): Promise<void> {
    if (!isTurnOver()) return;
    this.#waiting += 1;
    await untilTurn();
    this.#waiting -= 1;
    if (this.#waiting > 0) return;
    const callbacks = this.#whenWorkedOff;
    this.#whenWorkedOff = [];
    for (const callback of callbacks) this.afterAll(callback);
  }

  /**
   * Calls back after all work of the request that is under way. So the reads for which one request asks stay together,
   * even if its work takes several turns.
   */
  afterAll(callback: () => void): void {
    void Promise.resolve().then(() =>
      process.nextTick(() => {
        if (this.#waiting > 0) this.#whenWorkedOff.push(callback);
        else callback();
      }),
    );
  }
}

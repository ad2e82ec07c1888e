/** How many waiting tasks go on in one turn of the event loop, and how long a turn may last, in milliseconds. */
const mostAtOnce = 8;
const turnMs = 5;

let turnBegan: number | undefined;

/** Whether the work of this turn of the event loop has taken so long that the rest should wait for a later turn. */
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

/** Lets waiting tasks go on, a few in each turn of the event loop, so that requests are served in between. */
export const createYield = (): (() => Promise<void>) => {
  const waiting = new Set<() => void>();
  const open = async (): Promise<void> => {
    let gone = 0;
    for (const go of waiting) {
      go();
      // The task begins before it leaves the queue, and its work counts.
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

/** The work of one request, which lets others have their turn in between. */
export class Turns {
  #waiting = 0;
  #whenWorkedOff: (() => void)[] = [];

  /** Lets others have their turn if this one is over. To be called before each piece of work on many rows. */
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
   * Calls back after all work that is under way, as it would be done in one turn: what one request asks for stays together,
   * however often it gives way.
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

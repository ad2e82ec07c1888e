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
export const createTurnstile = (): (() => Promise<void>) => {
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

const untilTurn = createTurnstile();

/** Lets others have their turn if this one is over. To be called before each piece of work on many rows. */
export const giveWay = async (): Promise<void> => {
  if (isTurnOver()) await untilTurn();
};

/** How many waiting tasks go on in one turn of the event loop, and how long a turn may last, in milliseconds. */
const mostAtOnce = 8;
const turnMs = 10;

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
  const waiting: (() => void)[] = [];
  const open = async (): Promise<void> => {
    for (let gone = 0; gone < mostAtOnce && (gone === 0 || !isTurnOver()); gone += 1) {
      const [go] = waiting;
      if (!go) return;
      go();
      // The task begins before it leaves the queue, and its work counts.
      await undefined;
      await undefined;
      waiting.shift();
    }
    if (waiting.length > 0) setImmediate(open);
  };
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(open);
    });
};

const untilTurn = createTurnstile();

/** Lets others have their turn if this one is over. To be called before each piece of work on many rows. */
export const giveWay = async (): Promise<void> => {
  if (isTurnOver()) await untilTurn();
};

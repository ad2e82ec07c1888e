/** How many waiting streams go on in one turn of the event loop. */
const mostAtOnce = 8;

/** Lets waiting streams go on, a few in each turn of the event loop, so that requests are served in between. */
export const createTurnstile = (): (() => Promise<void>) => {
  const waiting: (() => void)[] = [];
  const open = (): void => {
    for (const go of waiting.splice(0, mostAtOnce)) go();
    if (waiting.length > 0) setImmediate(open);
  };
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(open);
    });
};

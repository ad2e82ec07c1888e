/** How many may go on in one turn of the event loop. */
const mostAtOnce = 8;

/** Lets those go on who wait, a few in each turn of the event loop, so that others have theirs in between. */
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

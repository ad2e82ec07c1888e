/** A process that has served for less counts as one of a crash loop; milliseconds, as all here. */
export const steadyMs = 10_000;
const firstMs = 100;
const lastMs = 10_000;

/** How long to wait before the next start, given how long the one that died has served. */
export const createRestartDelay = (): ((servedMs: number) => number) => {
  let delayMs = 0;
  return (servedMs) => {
    delayMs = servedMs >= steadyMs ? 0 : Math.min(Math.max(2 * delayMs, firstMs), lastMs);
    return delayMs;
  };
};

import type { SluiceError } from './error.ts';

/** The waits before another try are chosen at random, up to twice as long each time; in milliseconds. */
const firstWaitMs = 1000;
export const longestWaitMs = 30_000;

/** Whether another try may help. */
export const mayPass = ({ code, problems, status = 0 }: SluiceError): boolean =>
  code === 'NETWORK_ERROR' ||
  // Of a proxy that has lost the gateway, or is asked too often.
  (code === 'BAD_ANSWER' && (status >= 500 || status === 429 || status === 408)) ||
  problems.some(({ retryable }) => retryable);

/** How long to wait after so many tries, in milliseconds. */
export const waitFor = (why: SluiceError | undefined, tries: number): number => {
  const asked = why?.problems.map(({ retryAfterSeconds = 0 }) => retryAfterSeconds * 1000) ?? [];
  const longest = Math.min(longestWaitMs, firstWaitMs * 2 ** tries);
  return Math.max(Math.round(Math.random() * longest), ...asked);
};

/** Resolves early where the signal aborts. */
export const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    if (signal.aborted) done();
    else signal.addEventListener('abort', done);
  });

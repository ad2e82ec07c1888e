import type { SluiceError } from './error.ts';

/** The wait before a try is random, in milliseconds. Its upper limit doubles with each try, from the first to the longest. */
const firstWaitMs = 1000;
export const longestWaitMs = 30_000;

/** Whether another try may help. */
export const mayPass = ({ code, problems, status = 0 }: SluiceError): boolean =>
  code === 'NETWORK_ERROR' ||
  // A proxy answers with these if it cannot reach the gateway, or gets too many requests.
  (code === 'BAD_ANSWER' && (status >= 500 || status === 429 || status === 408)) ||
  problems.some(({ retryable }) => retryable);

/**
 * The wait after a number of tries, in milliseconds.
 *
 * @param least the wait that the gateway asked for when it ended a stream, in milliseconds
 */
export const waitFor = (why: SluiceError | undefined, tries: number, least = 0): number => {
  const asked = why?.problems.map(({ retryAfterSeconds = 0 }) => retryAfterSeconds * 1000) ?? [];
  const longest = Math.min(longestWaitMs, firstWaitMs * 2 ** tries);
  return Math.max(Math.round(Math.random() * longest), Math.min(longestWaitMs, least), ...asked);
};

/** Resolves early if the signal aborts. */
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

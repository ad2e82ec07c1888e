import { errorFacts, type Log } from './log.ts';

/**
 * With Ctrl-C the whole process group gets the signal, and npm passes it on: a second signal within this time, in
 * milliseconds, is the first one again.
 */
const echoMs = 500;

/** Calls `stop` on the first stop signal. A second one ends the process at once, but SIGHUP may come several times. */
export const onStopSignal = (stop: (signal: NodeJS.Signals) => void): void => {
  let first: { readonly signal: NodeJS.Signals; readonly at: number } | undefined;
  const receive = (signal: NodeJS.Signals): void => {
    const at = performance.now();
    if (!first) {
      first = { signal, at };
      stop(signal);
    } else if (signal !== 'SIGHUP' && (signal !== first.signal || at - first.at > echoMs)) {
      process.exit(1);
    }
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, receive);
};

/**
 * Logs and counts uncaught errors. After a rejection the process goes on, since only one request is affected. After an
 * exception it ends, since its state is unknown.
 *
 * @param end ends the process after the requests under way
 * @returns the number of uncaught errors so far
 */
export const watchUncaught = (log: Log, end: () => Promise<void>): (() => number) => {
  let count = 0;
  let ending = false;
  process.on('unhandledRejection', (reason) => {
    count += 1;
    log.error(errorFacts(reason), 'unhandled rejection');
  });
  process.on('uncaughtException', (error) => {
    count += 1;
    log.fatal(errorFacts(error), 'uncaught exception');
    if (ending) return;
    ending = true;
    process.exitCode = 1;
    void end().finally(() => process.exit(1));
  });
  return () => count;
};

import { errorFacts, type Log } from './log.ts';

/** npm passes on a signal that its whole process group got, as with Ctrl-C: the same one comes twice then. */
const echoMs = 500;

/**
 * Calls `stop` on the first signal to stop. A second one ends the process at once, but for SIGHUP, of which a terminal
 * that is closed may send several.
 */
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
 * Logs and counts what nobody caught. A rejection costs one request, and the process goes on; after an
 * exception its state is not known, and it is to end.
 *
 * @param end brings the process to its end, letting run what is under way
 * @returns how many there were so far
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

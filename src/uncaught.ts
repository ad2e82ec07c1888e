import { errorFacts, type Log } from './log.ts';

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

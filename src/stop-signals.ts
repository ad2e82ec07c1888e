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

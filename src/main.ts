// For a start without `--import`: what stands below is loaded before it runs, but the gateway is after.
import './preload.js';
import { type Config, ConfigError, readConfig } from './config.ts';
import { createLog } from './log.ts';

/** The gateway in this process. */
const startAlone = async (config: Config): Promise<void> => {
  const { ListenError, serve } = await import('./serve.ts');
  const log = createLog();
  const serving = serve(config, log);

  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    // A second signal, of either kind, ends the process at once.
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, 'stopping');
    void serving.close().then(() => log.info('stopped'));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // A terminal that is closed may send several.
  process.on('SIGHUP', (signal) => stopping || stop(signal));

  try {
    const address = await serving.listening;
    log.info(address, 'listening');
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
};

try {
  await startAlone(readConfig(process.env));
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(
    `Sluice cannot start:\n${error.faults.map((fault) => `  ${fault}\n`).join('')}`,
  );
  process.exit(1);
}

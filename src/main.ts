// For a start without `--import`: what stands below is loaded before it runs, but the gateway is after.
import './preload.js';
import { type Config, ConfigError, readConfig } from './config.ts';
import { keepGarbageYoung } from './garbage.ts';
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
    keepGarbageYoung();
    log.info(address, 'listening');
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
};

const start = async (): Promise<void> => {
  const config = readConfig(process.env);
  // Imported only where needed: the process that watches the workers has no use for the gateway.
  if (config.workers === 1) return startAlone(config);
  const { startWorkers } = await import('./workers.ts');
  startWorkers(config.workers, createLog().child({ pid: process.pid }));
};

try {
  await start();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(
    `Sluice cannot start:\n${error.faults.map((fault) => `  ${fault}\n`).join('')}`,
  );
  process.exit(1);
}

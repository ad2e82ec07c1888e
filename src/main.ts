import { ConfigError, readConfig } from './config.ts';
import { createLog } from './log.ts';
import { createGateway, graphqlPath } from './server.ts';

const start = (): void => {
  const config = readConfig(process.env);
  const log = createLog();
  const gateway = createGateway({ config, log });
  const { server } = gateway;

  server.once('error', (error: NodeJS.ErrnoException) => {
    process.stderr.write(`Sluice cannot listen on ${config.host}:${config.port}: ${error.code}\n`);
    process.exit(1);
  });
  server.listen(config.port, config.host, () => {
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : config.port;
    log.info({ host: config.host, port, path: graphqlPath }, 'listening');
  });

  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    // A second signal, of either kind, ends the process at once.
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, 'stopping');
    void gateway.close().then(() => log.info('stopped'));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
};

try {
  start();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(
    `Sluice cannot start:\n${error.faults.map((fault) => `  ${fault}\n`).join('')}`,
  );
  process.exit(1);
}

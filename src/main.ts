import { once } from 'node:events';
import { ConfigError, readConfig } from './config.ts';
import { createGateway } from './gateway/server.ts';
import { graphqlPath } from './gateway/yoga.ts';
import { openLog } from './log.ts';
import { onStopSignal, watchUncaught } from './process.ts';

const fail = (message: string): never => {
  process.stderr.write(`${message}\n`);
  return process.exit(1);
};

const readSettings = () => {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return fail(['Sluice cannot start:', ...error.faults.map((fault) => `  ${fault}`)].join('\n'));
  }
};

const config = readSettings();
const { host } = config;
const log = await openLog(config.logFormat);
const uncaughtErrors = watchUncaught(log, async () => gateway.close());
const gateway = createGateway({ config, log, uncaughtErrors });
const { server } = gateway;

server.listen(config.port, host);
try {
  await once(server, 'listening');
} catch (error) {
  const code = error instanceof Error && 'code' in error ? error.code : error;
  const advice = code === 'EADDRINUSE' ? '. The port is in use: choose another with PORT.' : '';
  fail(`Sluice cannot listen on ${host}:${config.port} (HOST, PORT): ${code}${advice}`);
}

onStopSignal((signal) => {
  log.info({ signal }, 'stopping');
  void gateway.close().then(() => log.info('stopped'));
});

const address = server.address();
// The real port, also where 0 was asked for.
const port = typeof address === 'object' && address ? address.port : config.port;
log.info({ host, port, path: graphqlPath }, 'listening');

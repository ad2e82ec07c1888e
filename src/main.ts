import { once } from 'node:events';
import { ConfigError, readConfig } from './config.ts';
import { createGateway } from './gateway/server.ts';
import { graphqlPath } from './gateway/yoga.ts';
import { openLog } from './log.ts';
import { watchUncaught } from './uncaught.ts';

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
  fail(`Sluice cannot listen on ${host}:${config.port} (HOST, PORT): ${code}`);
}

/** npm passes on a signal that its whole process group got, as Ctrl-C does: the same one comes twice then. */
const echoMs = 500;

let first: { readonly signal: NodeJS.Signals; readonly at: number } | undefined;
/** Stops on the first signal; a second one ends the process at once. */
const stop = (signal: NodeJS.Signals): void => {
  const at = performance.now();
  if (first) {
    if (signal !== first.signal || at - first.at > echoMs) process.exit(1);
    return;
  }
  first = { signal, at };
  log.info({ signal }, 'stopping');
  void gateway.close().then(() => log.info('stopped'));
};
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
// A terminal that is closed may send several.
process.on('SIGHUP', (signal) => first || stop(signal));

const address = server.address();
// The real port, also where 0 was asked for.
const port = typeof address === 'object' && address ? address.port : config.port;
log.info({ host, port, path: graphqlPath }, 'listening');

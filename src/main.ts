import type { Server } from 'node:http';
import { ArgumentError, readCommand } from './command/arguments.ts';
import { check } from './command/check.ts';
import { helpText } from './command/help.ts';
import { schemaText } from './command/schema.ts';
import { describeSlip, findSlips } from './config/slips.ts';
import { describeWarnings, logWarnings, readStart } from './config/start.ts';
import { ConfigError } from './config.ts';
import { listenOn } from './gateway/listen.ts';
import { createGatewayServer } from './gateway/server.ts';
import { asksForTraces, startTracing } from './gateway/tracing.ts';
import { graphqlPath } from './gateway/yoga.ts';
import { openLog } from './log.ts';
import { onStopSignal, watchUncaught } from './process.ts';
import { RedisRefused } from './redis/share.ts';
import { SchemaError } from './schema/reads.ts';
import { version } from './version.ts';

const fail = (message: string): never => {
  process.stderr.write(`${message}\n`);
  return process.exit(1);
};

const readArguments = () => {
  try {
    return readCommand(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    return fail(error.message);
  }
};

const readSettings = () => {
  try {
    return readStart(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const lines = [...error.faults, ...findSlips(process.env).map(describeSlip)].map(
      (line) => `  ${line}`,
    );
    return fail(['Sluice cannot start:', ...lines].join('\n'));
  }
};

const { command, profiles } = readArguments();
if (command === 'help') {
  process.stdout.write(helpText());
  process.exit();
}
if (command === 'version') {
  process.stdout.write(`${version}\n`);
  process.exit();
}
if (command === 'schema') {
  // The text is longer than what a pipe takes at once.
  await new Promise((written) => process.stdout.write(schemaText(profiles), written));
  process.exit();
}

const { config, warnings } = readSettings();
if (command === 'check') {
  const { lines, exitCode } = await check(config);
  process.stdout.write(`${[...lines, ...describeWarnings(warnings)].join('\n')}\n`);
  process.exit(exitCode);
}

// As process 1 of a container, it would ignore these signals without a listener.
let onStop: (signal: NodeJS.Signals) => void = () => process.exit();
onStopSignal((signal) => onStop(signal));

const { host } = config;
const log = await openLog(config);
logWarnings(warnings, log);
const end = async (): Promise<void> => {
  await gateway.close();
  log.info({ version }, 'stopped');
};
let stopped: Promise<void> | undefined;
/** A signal may come after an exception, or an exception after a signal. */
const stop = (): Promise<void> => {
  stopped ??= end();
  return stopped;
};
const uncaughtErrors = watchUncaught(log, stop);
const tracing = await startTracing(asksForTraces(process.env), version, log);
const createGateway = () => {
  try {
    return createGatewayServer({ config, log, uncaughtErrors, tracing });
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    return fail(`Sluice cannot start:\n  ${error.message}`);
  }
};
const gateway = createGateway();

const listenAdvice: Readonly<Record<string, (port: string) => string>> = {
  EADDRINUSE: (port) => `. The port is in use: choose another with ${port}.`,
  EACCES: (port) => `. This user may not use the port: choose one above 1023 with ${port}.`,
  EADDRNOTAVAIL: () => '. The address is not one of this machine: choose another with HOST.',
  ENOTFOUND: () => '. The name is not known: choose another with HOST.',
};

const listen = async (server: Server, port: number, variable: string): Promise<number> => {
  try {
    return await listenOn(server, host, port);
  } catch (error) {
    const code = String(error instanceof Error && 'code' in error ? error.code : error);
    const advice = listenAdvice[code]?.(variable) ?? '';
    return fail(`Sluice cannot listen on ${host}:${port} (HOST, ${variable}): ${code}${advice}`);
  }
};

await gateway.started.catch((error: unknown) => {
  if (!(error instanceof RedisRefused)) throw error;
  fail(`Sluice cannot start:\n  ${error.message}`);
});
const port = await listen(gateway.server, config.port, 'PORT');
const { metricsServer } = gateway;
const metricsPort =
  metricsServer && (await listen(metricsServer, config.metricsPort ?? 0, 'METRICS_PORT'));

onStop = (signal) => {
  log.info({ signal }, 'stopping');
  void stop().then(() => {
    // A trace export that hangs would keep the process alive.
    if (tracing) process.exit();
  });
};

log.info(
  {
    ...{ version, node: process.versions.node, host, port, path: graphqlPath },
    ...(metricsPort !== undefined && { metricsPort }),
  },
  'listening',
);

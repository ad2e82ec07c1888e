import type { Logger } from 'pino';
import { logWarnings, readStart } from '../config/start.ts';
import { openLog } from '../log.ts';
import type { GatewayPlugin } from '../plugins/plugin.ts';
import { version } from '../version.ts';
import { listenOn } from './listen.ts';
import { createGatewayServer, type GatewayServer } from './server.ts';
import { startTracing } from './tracing.ts';

interface EmbeddedOptions {
  readonly settings: Readonly<Record<string, string | undefined>>;
  readonly log?: Logger;
  readonly plugins?: readonly GatewayPlugin[];
}

/** A gateway whose own server never listens, for `createGateway`. */
export const openGateway = async ({
  settings,
  log,
  plugins = [],
}: EmbeddedOptions): Promise<Pick<GatewayServer, 'handler' | 'close'>> => {
  const { config, warnings } = readStart(settings);
  const usedLog = log ?? (await openLog(config));
  logWarnings(warnings, usedLog);
  const tracing = await startTracing(false, version, usedLog);
  const gateway = createGatewayServer({ config, log: usedLog, plugins, tracing });
  const { handler, close, started, metricsServer } = gateway;
  try {
    await started;
    if (metricsServer) await listenOn(metricsServer, config.host, config.metricsPort ?? 0);
  } catch (error) {
    await close();
    throw error;
  }
  return { handler, close };
};

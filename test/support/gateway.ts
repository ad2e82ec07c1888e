import { onTestFinished } from 'vitest';
import { type Config, readConfig } from '../../src/config.ts';
import { createGatewayServer, type GatewayServerOptions } from '../../src/gateway/server.ts';
import { graphqlPath } from '../../src/gateway/yoga.ts';
import { createLog } from '../../src/log.ts';
import { startServer } from './servers.ts';

interface Settings {
  /** The environment variables; without the upstreams' URLs, nothing listens at the default URLs. */
  readonly env?: Readonly<Record<string, string>>;
  /** Overrides values of the environment. */
  readonly config?: Partial<Config>;
  readonly options?: Partial<GatewayServerOptions>;
}

/** A URL at which nothing listens. */
export const nowhere = 'http://127.0.0.1:1';

/** The gateway in this process, on a free port, until it is stopped. */
export const openGateway = async ({ env, config, options }: Settings) => {
  /** All lines of its log. */
  const lines: string[] = [];
  const urls = { MANAGEMENT_URL: nowhere, OBSERVABILITY_URL: nowhere };
  const gateway = createGatewayServer({
    config: { ...readConfig({ ...urls, EXPLAIN: 'on', ...env }), ...config },
    log: createLog({ write: (line) => void lines.push(line) }),
    ...options,
  });
  await gateway.started;
  const { server } = gateway;
  const { port, origin } = await startServer(server);
  let closing: Promise<void> | undefined;
  /** Stops the gateway like a signal: requests under way are answered. */
  const close = (): Promise<void> => {
    closing ??= gateway.close();
    return closing;
  };
  /** Closes its connections, and stops it. */
  const end = (): Promise<void> => {
    server.closeAllConnections();
    return close();
  };
  return { gateway, server, port, origin, url: origin + graphqlPath, lines, close, end };
};

/** The same, until the test ends. Needs no backend. */
export const startGateway = async (
  env: Readonly<Record<string, string>> = {},
  options: Partial<GatewayServerOptions> = {},
) => {
  const gateway = await openGateway({ env, options });
  onTestFinished(gateway.end);
  return gateway;
};

import { onTestFinished } from 'vitest';
import { type Config, readConfig } from '../../src/config.ts';
import { createGateway, type GatewayOptions } from '../../src/gateway/server.ts';
import { graphqlPath } from '../../src/gateway/yoga.ts';
import { createLog } from '../../src/log.ts';
import { startServer } from './servers.ts';

interface Settings {
  /** As the process has them; without URLs of upstreams nothing listens there. */
  readonly env?: Readonly<Record<string, string>>;
  /** Takes the place of what the environment says. */
  readonly config?: Partial<Config>;
  readonly options?: Partial<GatewayOptions>;
}

/** The gateway in this process, on a free port, until it is ended. */
export const openGateway = async ({ env, config, options }: Settings) => {
  const lines: string[] = [];
  const gateway = createGateway({
    config: {
      ...readConfig({
        MANAGEMENT_URL: 'http://127.0.0.1:1',
        OBSERVABILITY_URL: 'http://127.0.0.1:1',
        EXPLAIN: 'on',
        ...env,
      }),
      ...config,
    },
    log: createLog({ write: (line) => void lines.push(line) }),
    ...options,
  });
  await gateway.started;
  const { port, origin } = await startServer(gateway.server);
  let closing: Promise<void> | undefined;
  /** Stops it as a signal does: what is under way is answered. */
  const close = (): Promise<void> => {
    closing ??= gateway.close();
    return closing;
  };
  return {
    gateway,
    server: gateway.server,
    port,
    origin,
    url: origin + graphqlPath,
    /** Everything that it logged, a line each. */
    lines: lines as readonly string[],
    close,
    /** Closes its connections, and stops it. */
    end: (): Promise<void> => {
      gateway.server.closeAllConnections();
      return close();
    },
  };
};

/** The same until the test ends. No backend is needed. */
export const startGateway = async (
  env: Readonly<Record<string, string>> = {},
  options: Partial<GatewayOptions> = {},
) => {
  const gateway = await openGateway({ env, options });
  onTestFinished(gateway.end);
  return gateway;
};

import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { createGateway, type GatewayOptions } from '../../../src/gateway/server.ts';
import { graphqlPath } from '../../../src/gateway/yoga.ts';
import { createLog } from '../../../src/log.ts';

/** A gateway on a real port, until the test ends, with its own `close` at hand. No backend is needed. */
export const startGateway = async (
  env: Readonly<Record<string, string>> = {},
  options: Partial<GatewayOptions> = {},
) => {
  const gateway = createGateway({
    config: readConfig({
      MANAGEMENT_URL: 'http://127.0.0.1:1',
      OBSERVABILITY_URL: 'http://127.0.0.1:1',
      ...env,
    }),
    log: createLog({ write: () => undefined }),
    ...options,
  });
  gateway.server.listen(0, '127.0.0.1');
  await once(gateway.server, 'listening');
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= gateway.close();
    return closing;
  };
  onTestFinished(() => {
    gateway.server.closeAllConnections();
    return close();
  });
  const address = gateway.server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const { port } = address;
  return { close, port, url: `http://127.0.0.1:${port}${graphqlPath}` };
};

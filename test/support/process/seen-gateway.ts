// The gateway of seen-operations.test.ts, in a process of its own, so that what instruments node:http can come first.
import { once } from 'node:events';
import { readConfig } from '../../../src/config.ts';
import { createGateway } from '../../../src/gateway/server.ts';
import { createLog } from '../../../src/log.ts';
import type { GatewayPlugin } from '../../../src/plugins/plugin.ts';

/** What it tells. */
export type FromGateway =
  | { readonly port: number }
  | { readonly byPlugin: readonly string[]; readonly byInstrumentation: readonly string[] };

const byPlugin: string[] = [];

/** Counts operations, as a plugin for metrics would. */
const useCounting = (): GatewayPlugin => ({
  onExecute: ({ args: { operationName, contextValue } }) => {
    const { method } = contextValue.request;
    return {
      onExecuteDone: ({ result }) => {
        if ('data' in result) byPlugin.push(`${method} ${operationName ?? 'without a name'}`);
      },
    };
  },
});

const tell = (message: FromGateway): void => {
  process.send?.(message);
};

const url = 'http://127.0.0.1:1';
const gateway = createGateway({
  config: readConfig({ MANAGEMENT_URL: url, OBSERVABILITY_URL: url }),
  log: createLog({ write: () => undefined }),
  plugins: [useCounting()],
});
gateway.server.listen(0, '127.0.0.1');
await once(gateway.server, 'listening');
const address = gateway.server.address();
if (address === null || typeof address === 'string') throw new Error('no port');
tell({ port: address.port });

process.on('message', () => {
  const { seenByInstrumentation: byInstrumentation = [] } = globalThis as {
    seenByInstrumentation?: readonly string[];
  };
  tell({ byPlugin, byInstrumentation });
});
process.on('disconnect', () => process.exit());

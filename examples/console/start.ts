import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';
import { type Arguments, help, readArguments } from '../../sandbox/arguments.ts';
import { gatewayProfiles } from '../../sandbox/profile.ts';
import { startSandbox } from '../../sandbox/server.ts';
import { readLimits } from '../../sandbox/settings.ts';
import { fleetKey } from '../../sandbox/world/fleet.ts';
import { readConfig } from '../../src/config.ts';
import { createGatewayServer } from '../../src/gateway/server.ts';
import { openLog } from '../../src/log.ts';
import type { Credentials } from './src/login.ts';

type Closing = () => Promise<unknown>;

/** Both REST interfaces and the gateway in this process, on free ports. */
const startGateway = async (
  closings: Closing[],
  { profile, fleetSize }: Arguments,
): Promise<{ url: string; demo: Credentials }> => {
  const limits = readLimits();
  const { managementUrl, observabilityUrl, credentials, close } = await startSandbox({
    profile,
    fleetSize,
    limits,
  });
  closings.unshift(close);
  const log = await openLog({ logLevel: 'warn' });
  const config = readConfig({
    MANAGEMENT_URL: managementUrl,
    OBSERVABILITY_URL: observabilityUrl,
    EXPLAIN: 'on',
    ...(!limits && { MANAGEMENT_RATE: 'off', OBSERVABILITY_RATE: 'off' }),
    ...gatewayProfiles[profile],
  });
  const gateway = createGatewayServer({ config, log });
  closings.unshift(() => gateway.close());
  await gateway.started;
  gateway.server.listen(0, '127.0.0.1');
  await once(gateway.server, 'listening');
  const address = gateway.server.address();
  if (address === null || typeof address === 'string') throw new Error('the gateway has no port');
  const { keyId, keySecret } = fleetSize > 0 ? fleetKey : credentials.management.admin;
  // ClickStack in Cloud takes the key.
  const token = profile === 'clickstack-cloud' ? '' : credentials.observability.main.token;
  return { url: `http://127.0.0.1:${address.port}`, demo: { keyId, keySecret, token } };
};

/** The page's port; 0 uses any free one. */
const readPort = (value: string): number => {
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
  throw new Error(`PORT must be a port from 0 to 65535, got ${JSON.stringify(value)}`);
};

/** The console with a sandbox. */
const start = async (closings: Closing[], given: Arguments): Promise<string> => {
  const port = readPort(process.env.PORT || '5173');
  const { url, demo } = await startGateway(closings, given);
  const vite = await createServer({
    root: fileURLToPath(new URL('.', import.meta.url)),
    logLevel: 'warn',
    define: { __DEMO_CREDENTIALS__: JSON.stringify(demo) },
    server: {
      host: '127.0.0.1',
      port,
      strictPort: true,
      proxy: { '/graphql': url },
    },
  });
  closings.unshift(() => vite.close());
  await vite.listen();
  const [address] = vite.resolvedUrls?.local ?? [];
  if (address === undefined) throw new Error('the page has no address');
  return address;
};

const closings: Closing[] = [];

const stop = async (): Promise<void> => {
  for (const close of closings.splice(0)) await close();
};

const end = (): void => void stop().finally(() => process.exit());

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);

// npm passes SIGTERM only to its shell, which ends without telling this process.
const { ppid } = process;
const watch = setInterval(() => {
  if (process.ppid === ppid) return;
  clearInterval(watch);
  end();
}, 500);
watch.unref();

try {
  const given = readArguments();
  if (given.help) process.stdout.write(`${help('console')}\n`);
  else {
    const address = await start(closings, given);
    process.stdout.write(`The console is on ${address} with demo data, which is gone at the end.
The form holds the sandbox's credentials already. Stop with Ctrl-C.
`);
  }
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  const advice = /in use/.test(reason) ? ': choose another, such as PORT=5174 npm run console' : '';
  process.stderr.write(`console: ${reason}${advice}\n`);
  process.exitCode = 1;
  await stop();
}

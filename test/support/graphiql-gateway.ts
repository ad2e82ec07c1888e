import { once } from 'node:events';
import { graphiqlStart } from '../../sandbox/graphiql.ts';
import { startSandbox } from '../../sandbox/server.ts';
import { readConfig } from '../../src/config.ts';
import { createGateway } from '../../src/gateway/server.ts';
import { graphqlPath } from '../../src/gateway/yoga.ts';
import { createLog } from '../../src/log.ts';
import { unpacedEnvironment } from './harness.ts';

/** What the page says GraphiQL starts with. */
export interface PageStart {
  readonly workers: Readonly<Record<string, string>>;
  readonly options: {
    readonly defaultHeaders: string;
    readonly defaultTabs: readonly { readonly query: string; readonly variables?: string }[];
  };
}

export const startOf = (page: string): PageStart => {
  const [, json = ''] =
    /<script type="application\/json" id="start">(.*?)<\/script>/.exec(page) ?? [];
  return JSON.parse(json);
};

/** The links of the page to its files, as paths. */
export const linksOf = (page: string, url: string): readonly string[] => {
  const { workers } = startOf(page);
  const named = [...page.matchAll(/ (?:src|href)="([^"]*)"/g)].map(([, link = '']) => link);
  return [...named, ...Object.values(workers)].map((link) => new URL(link, url).pathname);
};

/** Gateway and sandbox as the demo starts them, or as a deployment would. */
export const startGraphiql = async (
  kind: 'demo' | 'plain',
  env: Readonly<Record<string, string>> = {},
) => {
  const sandbox = await startSandbox({ limits: false });
  const management = sandbox.credentials.management.admin.header;
  const observability = sandbox.credentials.observability.main.header;
  const gateway = createGateway({
    config: readConfig({
      MANAGEMENT_URL: sandbox.managementUrl,
      OBSERVABILITY_URL: sandbox.observabilityUrl,
      ...unpacedEnvironment,
      ...env,
    }),
    log: createLog({ write: () => undefined }),
    ...(kind === 'demo' && { graphiqlStart: graphiqlStart(sandbox) }),
  });
  /** `METHOD /path` of every request so far. */
  const requests: string[] = [];
  gateway.server.on('request', ({ method, url }) => requests.push(`${method} ${url}`));
  gateway.server.listen(0, '127.0.0.1');
  await once(gateway.server, 'listening');
  const close = async (): Promise<void> => {
    gateway.server.closeAllConnections();
    await gateway.close();
    await sandbox.close();
  };
  const address = gateway.server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const url = `http://127.0.0.1:${address.port}${graphqlPath}`;
  return { url, requests, management, observability, close };
};

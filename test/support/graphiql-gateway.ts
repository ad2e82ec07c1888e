import { graphiqlStart } from '../../sandbox/graphiql.ts';
import { startSandbox } from '../../sandbox/server.ts';
import type { GatewayOptions } from '../../src/gateway/server.ts';
import { openGateway } from './gateway.ts';
import { unpacedEnvironment } from './harness.ts';

/** GraphiQL's initial content, from the page. */
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

/** The paths of the page's links to its files. */
export const linksOf = (page: string, url: string): readonly string[] => {
  const { workers } = startOf(page);
  const named = [...page.matchAll(/ (?:src|href)="([^"]*)"/g)].map(([, link = '']) => link);
  return [...named, ...Object.values(workers)].map((link) => new URL(link, url).pathname);
};

/** Gateway and sandbox with the options of the demo, or of a deployment. */
export const startGraphiql = async (
  kind: 'demo' | 'plain',
  env: Readonly<Record<string, string>> = {},
  options: Partial<GatewayOptions> = {},
) => {
  const sandbox = await startSandbox({ limits: false });
  const management = sandbox.credentials.management.admin.header;
  const observability = sandbox.credentials.observability.main.header;
  const gateway = await openGateway({
    env: {
      MANAGEMENT_URL: sandbox.managementUrl,
      OBSERVABILITY_URL: sandbox.observabilityUrl,
      ...unpacedEnvironment,
      ...env,
    },
    options: { ...options, ...(kind === 'demo' && { graphiqlStart: graphiqlStart(sandbox) }) },
  });
  /** `METHOD /path` of every request so far. */
  const requests: string[] = [];
  gateway.server.on('request', ({ method, url }) => requests.push(`${method} ${url}`));
  const close = async (): Promise<void> => {
    await gateway.end();
    await sandbox.close();
  };
  return { url: gateway.url, requests, management, observability, close };
};

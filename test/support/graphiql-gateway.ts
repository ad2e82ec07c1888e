import { graphiqlStart } from '../../sandbox/graphiql.ts';
import { startSandbox } from '../../sandbox/server.ts';
import type { GatewayServerOptions } from '../../src/gateway/server.ts';
import type { GraphiqlTab } from '../../src/graphiql/start.ts';
import { openGateway } from './gateway.ts';
import { unpacedEnvironment } from './harness.ts';

/** GraphiQL's initial content, from the page. */
interface PageStart {
  readonly workers: Readonly<Record<string, string>>;
  readonly options: {
    readonly defaultHeaders: string;
    readonly defaultTabs: readonly GraphiqlTab[];
  };
}

export const startOf = (page: string): PageStart =>
  JSON.parse(/<script type="application\/json" id="start">(.*?)<\/script>/.exec(page)?.[1] ?? '');

/** The paths of the page's links to its files. */
export const linksOf = (page: string, url: string): readonly string[] => {
  const named = [...page.matchAll(/ (?:src|href)="([^"]*)"/g)].map(([, link = '']) => link);
  const links = [...named, ...Object.values(startOf(page).workers)];
  return links.map((link) => new URL(link, url).pathname);
};

/** Gateway and sandbox with the options of the demo, or of a deployment. */
export const startGraphiql = async (
  kind: 'demo' | 'plain',
  env: Readonly<Record<string, string>> = {},
  options: Partial<GatewayServerOptions> = {},
) => {
  const sandbox = await startSandbox({ limits: false });
  const { managementUrl: MANAGEMENT_URL, observabilityUrl: OBSERVABILITY_URL } = sandbox;
  const gateway = await openGateway({
    env: { MANAGEMENT_URL, OBSERVABILITY_URL, ...unpacedEnvironment, ...env },
    options: { ...options, ...(kind === 'demo' && { graphiqlStart: graphiqlStart(sandbox) }) },
  });
  /** `METHOD /path` of every request so far. */
  const requests: string[] = [];
  gateway.server.on('request', ({ method, url }) => requests.push(`${method} ${url}`));
  return {
    ...{ url: gateway.url, requests },
    management: sandbox.credentials.management.admin.header,
    observability: sandbox.credentials.observability.main.header,
    close: async (): Promise<void> => {
      await gateway.end();
      await sandbox.close();
    },
  };
};

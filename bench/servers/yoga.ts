import { createServer } from 'node:http';
import DataLoader from 'dataloader';
import { createYoga } from 'graphql-yoga';
import { paths } from '../backend/paths.ts';
import type { PipeRecord } from '../backend/records.ts';
import {
  type Credentials,
  credentialsOf,
  host,
  managementUrl,
  observabilityUrl,
  port,
} from './environment.ts';
import type { Reads } from './reads.ts';
import { createSchema } from './schema.ts';

/** Plain Yoga: DataLoader by path, and the fetch of Node. */

/** A read, or with a body a change. */
const call = async (
  url: string,
  authorization: string | undefined,
  body?: object,
): Promise<unknown> => {
  if (authorization === undefined) throw new Error('no credential');
  const headers = { authorization, accept: 'application/json' };
  const answer = await (body === undefined
    ? fetch(url, { headers })
    : fetch(url, {
        method: 'PATCH',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }));
  if (!answer.ok) throw new Error(`the upstream answered ${answer.status}`);
  return answer.json();
};

/** The interfaces have no read of many by their ids: the loader's part is that each is read once. */
const createLoader = (baseUrl: string, authorization: string | undefined) =>
  new DataLoader<string, unknown>((urls) =>
    Promise.all(urls.map((path) => call(baseUrl + path, authorization))),
  );

const createReads = (credentials: Credentials): Reads => {
  const management = createLoader(managementUrl(), credentials.management);
  const observability = createLoader(observabilityUrl(), credentials.observability);
  const result = async <Result>(path: string) =>
    ((await management.load(path)) as { result: Result }).result;
  const data = async <Data>(path: string) =>
    ((await observability.load(path)) as { data: Data }).data;
  return {
    organization: (organizationId) => result(paths.organization(organizationId)),
    services: (organizationId) => result(paths.services(organizationId)),
    service: (organizationId, serviceId) => result(paths.service(organizationId, serviceId)),
    backupConfiguration: (organizationId, serviceId) =>
      result(paths.backupConfiguration(organizationId, serviceId)),
    pipes: (organizationId, serviceId) => result(paths.pipes(organizationId, serviceId)),
    invitations: (organizationId) => result(paths.invitations(organizationId)),
    alerts: () => data(paths.alerts),
    alert: (id) => data(paths.alert(id)),
    dashboards: () => data(paths.dashboards),
    dashboard: (id) => data(paths.dashboard(id)),
    command: async ({ organizationId, serviceId, pipeId }, command) => {
      const url = managementUrl() + paths.pipeState(organizationId, serviceId, pipeId);
      const answer = await call(url, credentials.management, { command });
      return (answer as { result: PipeRecord }).result;
    },
  };
};

const yoga = createYoga({
  schema: createSchema(),
  graphiql: false,
  landingPage: false,
  context: ({ request }) => ({
    reads: createReads(credentialsOf((name) => request.headers.get(name))),
  }),
});

createServer(yoga).listen(port(), host);

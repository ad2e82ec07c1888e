import { fastify } from 'fastify';
import { type MercuriusLoaders, mercurius } from 'mercurius';
import { Pool } from 'undici';
import { paths } from '../backend/paths.ts';
import type { AlertRecord, DashboardRecord, PipeRecord } from '../backend/records.ts';
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

/** Mercurius on Fastify, its compiler on, its loaders for what would be read again and again. */

// As for LIMIT: without a bound the fan-out of Q3 and Q4 opens hundreds of sockets.
const options = { connections: 64 };
const management = new Pool(managementUrl(), options);
const observability = new Pool(observabilityUrl(), options);

/** A read, or with a body a change. */
const call = async (
  pool: Pool,
  path: string,
  authorization: string | undefined,
  body?: object,
): Promise<unknown> => {
  if (authorization === undefined) throw new Error('no credential');
  const headers = { authorization, accept: 'application/json' };
  const answer = await (body === undefined
    ? pool.request({ method: 'GET', path, headers })
    : pool.request({
        method: 'PATCH',
        path,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }));
  if (answer.statusCode !== 200) {
    await answer.body.dump();
    throw new Error(`the upstream answered ${answer.statusCode}`);
  }
  return answer.body.json();
};

const createReads = (credentials: Credentials): Reads => {
  const result = async <Result>(path: string) =>
    ((await call(management, path, credentials.management)) as { result: Result }).result;
  const data = async <Data>(path: string) =>
    ((await call(observability, path, credentials.observability)) as { data: Data }).data;
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
      const path = paths.pipeState(organizationId, serviceId, pipeId);
      const answer = await call(management, path, credentials.management, { command });
      return (answer as { result: PipeRecord }).result;
    },
  };
};

interface Query<Parent, Parameters> {
  readonly obj: Parent;
  readonly params: Parameters;
}

/** Reads each distinct id of a batch once, and answers in the batch's order. */
const once = <Result>(
  ids: readonly string[],
  read: (id: string) => Promise<Result>,
): Promise<Result[]> => {
  const reads = new Map<string, Promise<Result>>();
  return Promise.all(
    ids.map((id) => {
      const held = reads.get(id) ?? read(id);
      reads.set(id, held);
      return held;
    }),
  );
};

declare module 'mercurius' {
  interface MercuriusContext {
    readonly reads: Reads;
  }
}

/** The batch itself finds equal ids, so the loaders need not make keys of whole parents. */
const opts = { cache: false };

const loaders: MercuriusLoaders = {
  Query: {
    alert: {
      loader: (queries: Query<unknown, { id: string }>[], { reads }) =>
        once(
          queries.map(({ params }) => params.id),
          reads.alert,
        ),
      opts,
    },
  },
  Dashboard: {
    alerts: {
      loader: async (queries: Query<DashboardRecord, unknown>[], { reads }) => {
        const alerts = await reads.alerts();
        return queries.map(({ obj }) => alerts.filter(({ dashboard }) => dashboard === obj.id));
      },
      opts,
    },
  },
  Alert: {
    dashboard: {
      loader: (queries: Query<AlertRecord, unknown>[], { reads }) =>
        once(
          queries.map(({ obj }) => obj.dashboard ?? ''),
          reads.dashboard,
        ),
      opts,
    },
  },
};

const app = fastify();
await app.register(mercurius, {
  schema: createSchema(),
  loaders,
  jit: 1,
  context: (request) => ({ reads: createReads(credentialsOf((name) => request.headers[name])) }),
});
await app.listen({ port: port(), host });

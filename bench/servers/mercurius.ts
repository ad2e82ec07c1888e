import { fastify } from 'fastify';
import { type MercuriusLoaders, mercurius } from 'mercurius';
import { Pool } from 'undici';
import { paths } from '../backend/paths.ts';
import type { AlertRecord } from '../backend/records.ts';
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

const get = async (
  pool: Pool,
  path: string,
  authorization: string | undefined,
): Promise<unknown> => {
  if (authorization === undefined) throw new Error('no credential');
  const answer = await pool.request({
    method: 'GET',
    path,
    headers: { authorization, accept: 'application/json' },
  });
  if (answer.statusCode !== 200) {
    await answer.body.dump();
    throw new Error(`the upstream answered ${answer.statusCode}`);
  }
  return answer.body.json();
};

const createReads = (credentials: Credentials): Reads => {
  const result = async <Result>(path: string) =>
    ((await get(management, path, credentials.management)) as { result: Result }).result;
  const data = async <Data>(path: string) =>
    ((await get(observability, path, credentials.observability)) as { data: Data }).data;
  return {
    service: (organizationId, serviceId) => result(paths.service(organizationId, serviceId)),
    backupConfiguration: (organizationId, serviceId) =>
      result(paths.backupConfiguration(organizationId, serviceId)),
    pipes: (organizationId, serviceId) => result(paths.pipes(organizationId, serviceId)),
    invitations: (organizationId) => result(paths.invitations(organizationId)),
    alerts: () => data(paths.alerts),
    alert: (id) => data(paths.alert(id)),
    dashboard: (id) => data(paths.dashboard(id)),
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

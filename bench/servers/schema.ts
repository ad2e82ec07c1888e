import { readdirSync, readFileSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import type { GraphQLSchema } from 'graphql';
import type { Pipe, Source } from '../pipes.ts';
import { type Alert, type Dashboard, paths, type Service } from '../world.ts';
import type { Read } from './upstream.ts';

export interface Context {
  readonly read: Read;
}

type Ids = Readonly<Record<'organizationId' | 'serviceId' | 'pipeId', string>>;

type ServiceParent = Service & { readonly organizationId: string };

const toSource = ({ kafka, postgres }: Source): object => {
  if (kafka) return { ...kafka, __typename: 'KafkaSource' };
  return { ...postgres, __typename: 'PostgresSource' };
};

const command =
  (name: 'start' | 'stop') =>
  async (_: unknown, { input }: { input: Ids }, { read }: Context) => {
    const path = paths.pipe(input.organizationId, input.serviceId, input.pipeId);
    return { pipe: await read<Pipe>(`${path}/state`, { command: name }), userErrors: [] };
  };

/** Resolvers for the queries, in the style of the libraries' guides: a parent is read first, and then its relations. */
const resolvers = {
  Query: {
    service: async (_: unknown, { organizationId, serviceId }: Ids, { read }: Context) => ({
      ...(await read<Service>(paths.service(organizationId, serviceId))),
      organizationId,
    }),
    // Reads the organization only if more than its identifier is selected.
    organization: (_: unknown, { organizationId: id }: Ids) => ({ id }),
    alerts: (_: unknown, __: unknown, { read }: Context) => read(paths.alerts),
    alert: (_: unknown, { alertId }: { alertId: string }, { read }: Context) =>
      read(paths.alert(alertId)),
    dashboards: (_: unknown, __: unknown, { read }: Context) => read(paths.dashboards),
  },
  Mutation: { startPipe: command('start'), stopPipe: command('stop') },
  Organization: {
    name: async ({ id }: { id: string }, _: unknown, { read }: Context) =>
      (await read<{ name: string }>(paths.organization(id))).name,
    services: async ({ id }: { id: string }, _: unknown, { read }: Context) =>
      (await read<Service[]>(paths.services(id))).map((each) => ({ ...each, organizationId: id })),
    invitations: ({ id }: { id: string }, _: unknown, { read }: Context) =>
      read(paths.invitations(id)),
  },
  Service: {
    backupConfiguration: ({ organizationId, id }: ServiceParent, _: unknown, { read }: Context) =>
      read(paths.backup(organizationId, id)),
    pipes: ({ organizationId, id }: ServiceParent, _: unknown, { read }: Context) =>
      read(paths.pipes(organizationId, id)),
  },
  Pipe: { source: ({ source }: Pipe) => toSource(source) },
  Invitation: { expiresAt: ({ expireAt }: { expireAt: string }) => expireAt },
  PipeSource: { __resolveType: ({ __typename }: { __typename: string }) => __typename },
  PipeSettings: {
    streamingMaxInsertWaitMs: (from: Pipe['settings']) => from.streaming_max_insert_wait_ms,
    engineMaxThreads: (from: Pipe['settings']) => from.engine_max_threads,
  },
  Dashboard: {
    alerts: async ({ id }: Dashboard, _: unknown, { read }: Context) =>
      (await read<Alert[]>(paths.alerts)).filter(({ dashboard }) => dashboard === id),
  },
  Alert: {
    dashboard: ({ dashboard }: Alert, _: unknown, { read }: Context) =>
      read(paths.dashboard(dashboard)),
  },
};

const folder = new URL('../../schema/', import.meta.url);

/** The gateway's SDL, with resolvers that differ between the servers only in how they read. */
export const createSchema = (): GraphQLSchema =>
  makeExecutableSchema<Context>({
    typeDefs: readdirSync(folder)
      .filter((name) => name.endsWith('.graphql'))
      .map((name) => readFileSync(new URL(name, folder), 'utf8')),
    resolvers,
  });

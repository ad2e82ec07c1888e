import { GraphQLScalarType } from 'graphql';
import type {
  AlertRecord,
  DashboardRecord,
  PipeRecord,
  ServiceRecord,
  SettingsRecord,
  SourceRecord,
} from '../backend/records.ts';
import type { PipeIds, Reads } from './reads.ts';

/**
 * Resolvers for what the operations and pages need, in the manner of the libraries' own guides: a parent is
 * read, and then its relations. Shared by the three peers, which differ in how they read.
 */

interface Context {
  readonly reads: Reads;
}

type ServiceParent = ServiceRecord & { readonly id: string; readonly organizationId: string };

const settings = (wireName: keyof SettingsRecord) => (parent: SettingsRecord) => parent[wireName];

const sourceTypes = {
  kafka: 'KafkaSource',
  objectStorage: 'ObjectStorageSource',
  kinesis: 'KinesisSource',
  postgres: 'PostgresSource',
} as const satisfies Record<keyof SourceRecord, string>;

const toSource = (source: SourceRecord | null | undefined): object | null => {
  if (!source) return null;
  for (const kind of Object.keys(sourceTypes) as (keyof SourceRecord)[]) {
    const member = source[kind];
    if (member) return { ...member, __typename: sourceTypes[kind] };
  }
  return { __typename: 'UnknownSource' };
};

/** What stops or starts a pipe; a refusal fails the field. */
const commanded =
  (command: 'start' | 'stop') =>
  async (_: unknown, { input }: { input: PipeIds }, { reads }: Context) => ({
    pipe: await reads.command(input, command),
    userErrors: [],
  });

const dateTime = new GraphQLScalarType<string, string>({
  name: 'DateTime',
  serialize: (value) => {
    if (typeof value === 'string' && !Number.isNaN(Date.parse(value))) return value;
    throw new TypeError('DateTime cannot represent this value');
  },
});

const safeInt = new GraphQLScalarType<number, number>({
  name: 'SafeInt',
  serialize: (value) => {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
    throw new TypeError('SafeInt cannot represent this value');
  },
});

export const resolvers = {
  DateTime: dateTime,
  SafeInt: safeInt,
  Query: {
    service: async (
      _: unknown,
      { organizationId, serviceId }: { organizationId: string; serviceId: string },
      { reads }: Context,
    ) => ({ ...(await reads.service(organizationId, serviceId)), organizationId }),
    // A handle: the organization is read where more than its identifier is asked for.
    organization: (_: unknown, { id }: { id: string }) => ({ id }),
    alerts: (_: unknown, __: unknown, { reads }: Context) => reads.alerts(),
    alert: (_: unknown, { id }: { id: string }, { reads }: Context) => reads.alert(id),
    dashboards: (_: unknown, __: unknown, { reads }: Context) => reads.dashboards(),
  },
  Mutation: {
    startPipe: commanded('start'),
    stopPipe: commanded('stop'),
  },
  Organization: {
    name: async ({ id }: { id: string }, _: unknown, { reads }: Context) =>
      (await reads.organization(id)).name,
    services: async ({ id }: { id: string }, _: unknown, { reads }: Context) =>
      (await reads.services(id)).map((service) => ({ ...service, organizationId: id })),
    invitations: ({ id }: { id: string }, _: unknown, { reads }: Context) => reads.invitations(id),
  },
  Service: {
    backupConfiguration: ({ organizationId, id }: ServiceParent, _: unknown, { reads }: Context) =>
      reads.backupConfiguration(organizationId, id),
    pipes: ({ organizationId, id }: ServiceParent, _: unknown, { reads }: Context) =>
      reads.pipes(organizationId, id),
  },
  Pipe: {
    source: ({ source }: PipeRecord) => toSource(source),
  },
  PipeSource: {
    __resolveType: ({ __typename }: { __typename: string }) => __typename,
  },
  PipeSettings: {
    streamingMaxInsertWaitMs: settings('streaming_max_insert_wait_ms'),
    objectStorageConcurrency: settings('object_storage_concurrency'),
    objectStoragePollingIntervalMs: settings('object_storage_polling_interval_ms'),
    objectStorageMaxInsertBytes: settings('object_storage_max_insert_bytes'),
    objectStorageMaxFileCount: settings('object_storage_max_file_count'),
    objectStorageUseClusterFunction: settings('object_storage_use_cluster_function'),
    engineMaxThreads: settings('engine_max_threads'),
    engineMaxInsertThreads: settings('engine_max_insert_threads'),
    engineMinInsertBlockSizeBytes: settings('engine_min_insert_block_size_bytes'),
    engineMaxDownloadThreads: settings('engine_max_download_threads'),
    engineParallelDistributedInsertSelect: settings('engine_parallel_distributed_insert_select'),
    engineParallelViewProcessing: settings('engine_parallel_view_processing'),
  },
  Dashboard: {
    alerts: async ({ id }: DashboardRecord, _: unknown, { reads }: Context) =>
      (await reads.alerts()).filter(({ dashboard }) => dashboard === id),
  },
  Alert: {
    dashboard: ({ dashboard }: AlertRecord, _: unknown, { reads }: Context) =>
      dashboard ? reads.dashboard(dashboard) : null,
  },
};

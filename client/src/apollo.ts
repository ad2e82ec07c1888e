import matcher from './generated/possible-types.ts';

/** Which types stand behind each interface and union, for Apollo's `InMemoryCache`. */
export const possibleTypes: Record<string, string[]> = matcher.possibleTypes;

/** As much as is needed here of what Apollo gives to the `read` of a field. */
export interface ReadOptions {
  readonly args: Readonly<Record<string, unknown>> | null;
  readField(name: string, from?: unknown): unknown;
  toReference(object: { readonly __typename: string }): unknown;
}

/**
 * A field that leads to one object: `key` names, for members of that object, the argument (with a `$`) or
 * the neighbouring field that has the same value. Where the field was not read yet, or its neighbours have
 * changed since, it is the object of that key, unless other members of that are known to differ.
 */
const to =
  (__typename: string, key: Readonly<Record<string, string>>) =>
  (existing: unknown, { args, readField, toReference }: ReadOptions): unknown => {
    const members = Object.entries(key).map(([member, from]): [string, unknown] => [
      member,
      from.startsWith('$') ? args?.[from.slice(1)] : readField(from),
    ]);
    const agrees = (object: unknown): boolean =>
      members.every(([member, value]) => (readField(member, object) ?? value) === value);
    const values = members.map(([, value]) => value);
    if (values.includes(null)) return null;
    if (existing === null || values.includes(undefined)) return existing;
    if (existing !== undefined && agrees(existing)) return existing;
    const reference = toReference({ __typename, ...Object.fromEntries(members) });
    return agrees(reference) ? reference : undefined;
  };

/** Lists come whole, so the newer one takes the place of the older. */
const list = { merge: false } as const;

/** One per parent and without a key: what two queries ask of it is put together. */
const part = { keyFields: false, merge: true } as const;

/** Stands in lists, without a key that would be unique. */
const item = { keyFields: false } as const;

/**
 * Policies for Apollo's `InMemoryCache`. Types without `keyFields` are known by their `id`; of a tile select
 * `dashboardId` and `id`.
 */
export const typePolicies = {
  Query: {
    fields: {
      organizations: list,
      organization: to('Organization', { id: '$id' }),
      service: to('Service', { id: '$serviceId', organizationId: '$organizationId' }),
      pipe: to('Pipe', {
        id: '$pipeId',
        serviceId: '$serviceId',
        organizationId: '$organizationId',
      }),
      dashboards: list,
      dashboard: to('Dashboard', { id: '$id' }),
      alerts: list,
      alert: to('Alert', { id: '$id' }),
      dataSources: list,
      webhooks: list,
      savedSearches: list,
      nodes: list,
    },
  },
  Subscription: { fields: { pipes: list, alerts: list } },
  Organization: {
    fields: {
      byocConfig: list,
      apiKeys: list,
      invitations: list,
      privateEndpoints: list,
      service: to('Service', { id: '$id', organizationId: 'id' }),
      services: list,
    },
  },
  OrganizationPipes: { ...part, fields: { items: list, unreadServices: list } },
  UnreadService: item,
  Invitation: { fields: { assignedRoles: list } },
  AssignedRole: item,
  ByocConfig: item,
  PrivateEndpoint: item,
  ApiKey: { fields: { assignedRoles: list, ipAccessList: list } },
  IpAccessEntry: item,
  Service: {
    fields: {
      endpoints: list,
      ipAccessList: list,
      organization: to('Organization', { id: 'organizationId' }),
      pipe: to('Pipe', { id: '$id', serviceId: 'id', organizationId: 'organizationId' }),
      pipes: list,
      tags: list,
    },
  },
  ServiceEndpoint: item,
  ServiceTag: item,
  BackupConfiguration: part,
  Pipe: {
    fields: {
      fieldMappings: list,
      service: to('Service', { id: 'serviceId', organizationId: 'organizationId' }),
    },
  },
  PipeScaling: part,
  PipeSettings: part,
  PipeFieldMapping: item,
  PipeDestination: { ...part, fields: { columns: list } },
  PipeDestinationColumn: item,
  PipeTableDefinition: part,
  PipeTableEngine: part,
  KafkaSource: part,
  KafkaOffset: part,
  KafkaSchemaRegistry: part,
  ObjectStorageSource: part,
  KinesisSource: part,
  PostgresSource: { ...part, fields: { tableMappings: list } },
  PostgresSourceSettings: part,
  PostgresTableMapping: item,
  MySqlSource: { ...part, fields: { tableMappings: list } },
  MySqlSourceSettings: part,
  MySqlTableMapping: item,
  BigQuerySource: { ...part, fields: { tableMappings: list } },
  BigQuerySourceSettings: part,
  BigQueryTableMapping: item,
  MongoDbSource: { ...part, fields: { tableMappings: list } },
  MongoDbSourceSettings: part,
  MongoDbTableMapping: item,
  PubSubSource: part,
  UnknownSource: part,
  Dashboard: { fields: { alerts: list, tiles: list } },
  Tile: {
    keyFields: ['dashboardId', 'id'],
    fields: {
      alerts: list,
      dashboard: to('Dashboard', { id: 'dashboardId' }),
      series: list,
    },
  },
  TileSeries: item,
  Alert: {
    fields: {
      channels: list,
      executionErrors: list,
      dashboard: to('Dashboard', { id: 'dashboardId' }),
      tile: to('Tile', { id: 'tileId', dashboardId: 'dashboardId' }),
    },
  },
  AlertChannel: part,
  AlertExecutionError: item,
  DataSource: {},
  Webhook: {},
  SavedSearch: {},
  UserError: item,
} as const;

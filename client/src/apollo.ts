import matcher from './generated/possible-types.ts';

/** The types of each interface and union, for Apollo's `InMemoryCache`. */
export const possibleTypes: Record<string, string[]> = matcher.possibleTypes;

/** The options of a field's `read` in Apollo Client, as far as they are used here. */
export interface ReadOptions {
  readonly args: Readonly<Record<string, unknown>> | null;
  readField(name: string, from?: unknown): unknown;
  toReference(object: { readonly __typename: string }): unknown;
}

/**
 * A field that leads to one object. For each member of that object, `key` names the argument (with a `$`) or the sibling
 * field with the same value. If the field was not read yet, or the siblings have changed since then, the field is the object
 * with this key, unless other members are known to differ.
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

/** Lists are always complete, so a newer list replaces an older one. */
const list = { merge: false } as const;

/** An object that exists once for each parent and has no key: the results of two queries are merged. */
const part = { keyFields: false, merge: true } as const;

/** An object in a list, without a unique key. */
const item = { keyFields: false } as const;

/**
 * Policies for Apollo's `InMemoryCache`. Types without `keyFields` are identified by their `id`; for a tile, select both
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
      pipes: list,
      nodes: list,
    },
  },
  Gateway: part,
  GatewayRates: part,
  RateLimit: part,
  Subscription: { fields: { pipes: list, alerts: list } },
  Organization: {
    fields: {
      activities: list,
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
  UsageCost: { ...part, fields: { byEntity: list, days: list } },
  UsageCostEntity: { ...item, fields: { days: list } },
  UsageCostDay: item,
  UsageCostMetrics: part,
  Activity: {},
  Backup: {},
  Invitation: { fields: { assignedRoles: list } },
  AssignedRole: item,
  ByocConfig: item,
  PrivateEndpoint: item,
  ApiKey: { fields: { assignedRoles: list, ipAccessList: list } },
  IpAccessEntry: item,
  Service: {
    fields: {
      backups: list,
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
  TileSeries: { ...item, fields: { source: to('DataSource', { id: 'sourceId' }) } },
  Alert: {
    fields: {
      channels: list,
      executionErrors: list,
      dashboard: to('Dashboard', { id: 'dashboardId' }),
      savedSearch: to('SavedSearch', { id: 'savedSearchId' }),
      tile: to('Tile', { id: 'tileId', dashboardId: 'dashboardId' }),
    },
  },
  AlertChannel: { ...part, fields: { webhook: to('Webhook', { id: 'webhookId' }) } },
  AlertExecutionError: item,
  DataSource: {},
  Webhook: {},
  SavedSearch: { fields: { source: to('DataSource', { id: 'sourceId' }) } },
  UserError: item,
} as const;

// Written by `npm run generate` from the schema.
import { item, list, part, to } from './policy.ts';

/**
 * Policies for Apollo's `InMemoryCache`. Types without `keyFields` are identified by their `id`; for a tile, select both
 * `dashboardId` and `id`.
 */
export const typePolicies = {
  Activity: {
    fields: {
      actorKey: to('ApiKey', { id: 'actorId' }),
    },
  },
  Alert: {
    fields: {
      channels: list,
      executionErrors: list,
      savedSearch: to('SavedSearch', { id: 'savedSearchId' }),
      dashboard: to('Dashboard', { id: 'dashboardId' }),
      tile: to('Tile', { id: 'tileId', dashboardId: 'dashboardId' }),
    },
  },
  AlertChannel: {
    ...part,
    fields: {
      webhook: to('Webhook', { id: 'webhookId' }),
    },
  },
  AlertExecutionError: item,
  ApiKey: {
    fields: {
      ipAccessList: list,
      assignedRoles: list,
    },
  },
  AssignedRole: item,
  Backup: {},
  BackupConfiguration: part,
  BigQuerySource: {
    ...part,
    fields: {
      tableMappings: list,
    },
  },
  BigQuerySourceSettings: part,
  BigQueryTableMapping: item,
  ByocConfig: item,
  Caller: {
    ...part,
    fields: {
      organization: to('Organization', { id: 'organizationId' }),
      organizations: list,
    },
  },
  CallerOrganization: item,
  CdcScaling: part,
  CreditBalance: item,
  CreditBalances: {
    ...part,
    fields: {
      balances: list,
    },
  },
  CurrentScaling: part,
  Dashboard: {
    fields: {
      tiles: list,
      filters: list,
      savedFilterValues: list,
      alerts: list,
    },
  },
  DashboardMenu: item,
  DashboardProblem: item,
  DataSource: {},
  Gateway: part,
  GatewayRates: part,
  Invitation: {
    fields: {
      assignedRoles: list,
    },
  },
  IpAccessEntry: item,
  KafkaOffset: part,
  KafkaSchemaRegistry: part,
  KafkaSource: {
    ...part,
    fields: {
      reversePrivateEndpoints: list,
    },
  },
  KinesisSource: part,
  Member: {
    fields: {
      assignedRoles: list,
    },
  },
  MongoDbSource: {
    ...part,
    fields: {
      tableMappings: list,
    },
  },
  MongoDbSourceSettings: part,
  MongoDbTableMapping: item,
  MySqlSource: {
    ...part,
    fields: {
      tableMappings: list,
    },
  },
  MySqlSourceSettings: part,
  MySqlTableMapping: item,
  Notification: item,
  ObjectStorageSource: part,
  Organization: {
    fields: {
      privateEndpoints: list,
      byocConfig: list,
      services: list,
      service: to('Service', { id: '$id', organizationId: 'id' }),
      invitations: list,
      apiKeys: list,
      activities: list,
      members: list,
      quotas: list,
    },
  },
  OrganizationNotifications: {
    ...part,
    fields: {
      items: list,
    },
  },
  OrganizationPipes: {
    ...part,
    fields: {
      items: list,
      unreadServices: list,
    },
  },
  Pipe: {
    fields: {
      fieldMappings: list,
      service: to('Service', { id: 'serviceId', organizationId: 'organizationId' }),
    },
  },
  PipeDestination: {
    ...part,
    fields: {
      columns: list,
    },
  },
  PipeDestinationColumn: item,
  PipeFieldMapping: item,
  PipeScaling: part,
  PipeSettings: part,
  PipeTableDefinition: part,
  PipeTableEngine: part,
  PlannedCall: item,
  PlannedChange: item,
  PostgresSource: {
    ...part,
    fields: {
      tableMappings: list,
    },
  },
  PostgresSourceSettings: part,
  PostgresTableMapping: item,
  PrivateEndpoint: item,
  PubSubSource: part,
  Query: {
    fields: {
      nodes: list,
      alerts: list,
      alert: to('Alert', { id: '$alertId' }),
      dashboards: list,
      dashboard: to('Dashboard', { id: '$dashboardId' }),
      dataSources: list,
      webhooks: list,
      savedSearches: list,
      organizations: list,
      organization: to('Organization', { id: '$organizationId' }),
      pipe: to('Pipe', { id: '$pipeId', serviceId: '$serviceId', organizationId: '$organizationId' }),
      pipes: list,
      service: to('Service', { id: '$serviceId', organizationId: '$organizationId' }),
    },
  },
  Quota: item,
  RateLimit: part,
  ReversePrivateEndpoint: {},
  SavedFilterValue: item,
  SavedSearch: {
    fields: {
      source: to('DataSource', { id: 'sourceId' }),
    },
  },
  ScalingSchedule: {
    ...part,
    fields: {
      entries: list,
    },
  },
  ScalingScheduleBaseConfig: part,
  ScalingScheduleEntry: item,
  Service: {
    fields: {
      endpoints: list,
      ipAccessList: list,
      organization: to('Organization', { id: 'organizationId' }),
      pipes: list,
      pipe: to('Pipe', { id: '$id', serviceId: 'id', organizationId: 'organizationId' }),
      backups: list,
      dashboards: list,
      alerts: list,
      savedSearches: list,
      dataSources: list,
      webhooks: list,
      tags: list,
      reversePrivateEndpoints: list,
    },
  },
  ServiceEndpoint: item,
  ServiceTag: item,
  Subscription: {
    fields: {
      pipes: list,
      alerts: list,
    },
  },
  Tile: {
    keyFields: ['dashboardId', 'id'],
    fields: {
      series: list,
      formulas: list,
      dashboard: to('Dashboard', { id: 'dashboardId' }),
      alerts: list,
    },
  },
  TileFormula: item,
  TileSeries: {
    ...item,
    fields: {
      source: to('DataSource', { id: 'sourceId' }),
    },
  },
  UnknownSource: part,
  UnreadService: item,
  UpgradeWindow: part,
  UsageCost: {
    ...part,
    fields: {
      byEntity: list,
      byService: list,
      days: list,
    },
  },
  UsageCostDay: item,
  UsageCostEntity: {
    ...item,
    fields: {
      service: to('Service', { id: 'serviceId', organizationId: 'organizationId' }),
      days: list,
    },
  },
  UsageCostMetrics: part,
  UsageCostService: {
    ...item,
    fields: {
      pipes: list,
    },
  },
  UserError: item,
  Webhook: {},
  WritePlan: {
    ...item,
    fields: {
      calls: list,
      changes: list,
    },
  },
} as const;

/** A record of each documented resource with every field. Written from the documentation, not from src/. */

export const organizationId = '0a9a0000-0000-4000-8000-000000000001';
export const serviceId = '5e4c0000-0000-4000-8000-000000000001';

type Json = Readonly<Record<string, unknown>>;
const json = (members: string): Json => JSON.parse(`{${members}}`);

const records = {
  Service: json(`"id": "${serviceId}", "name": "production", "engineVersion": "26.8",
    "endpoints": [{"protocol": "https", "host": "db.example", "port": 8443, "username": "default"}],
    "minTotalMemoryGb": 48, "maxTotalMemoryGb": 360, "minReplicaMemoryGb": 16,
    "maxReplicaMemoryGb": 120, "numReplicas": 3, "idleScaling": true, "idleTimeoutMinutes": 15,
    "ipAccessList": [{"source": "203.0.113.0/24", "description": "Office"}],
    "createdAt": "2025-02-11T09:31:55Z", "encryptionKey": "arn:key",
    "encryptionAssumedRoleIdentifier": "arn:assumed-role", "iamRole": "arn:role",
    "privateEndpointIds": ["vpce-1", "vpce-2"], "availablePrivateEndpointIds": ["vpce-3"],
    "dataWarehouseId": "3a7e0000-0000-4000-8000-000000000001", "isPrimary": true,
    "isReadonly": false, "byocId": "byoc-1", "hasTransparentDataEncryption": true,
    "transparentDataEncryptionKeyId": "tde-1", "encryptionRoleId": "role-1"`),
  Organization:
    json(`"id": "${organizationId}", "createdAt": "2024-01-02T03:04:05.678Z", "name": "Northwind",
    "privateEndpoints": [{"id": "vpce-1", "description": "Hamburg"}],
    "byocConfig": [{"id": "byoc-1", "accountName": "northwind-cloud"}]`),
  Invitation: json(`"id": "19f10000-0000-4000-8000-000000000001", "email": "ada@northwind.example",
    "createdAt": "2026-11-01T00:00:00Z", "expireAt": "2026-12-01T00:00:00+01:00"`),
  BackupConfiguration: json(
    `"backupPeriodInHours": 24, "backupRetentionPeriodInHours": 168, "backupStartTime": "02:00"`,
  ),
  ApiKey: json(`"id": "4e1f0000-0000-4000-8000-000000000001", "name": "deploy",
    "roles": ["admin", "developer", "query_endpoints"], "keySuffix": "wxyz",
    "createdAt": "2026-11-01T00:00:00Z", "expireAt": "2027-11-01T00:00:00Z",
    "usedAt": "2026-11-02T00:00:00Z",
    "ipAccessList": [{"source": "203.0.113.0/24", "description": "Office"}]`),
  Pipe: json(`"id": "919e0000-0000-4000-8000-000000000001", "serviceId": "${serviceId}",
    "name": "clickstream", "state": "Running", "scaling": {
      "replicas": 2, "concurrency": 1, "replicaCpuMillicores": 250, "replicaMemoryGb": 0.5
    },
    "source": {},
    "destination": {
      "database": "default", "table": "clicks", "managedTable": true,
      "tableDefinition": {
        "engine": {"versionColumnId": "version", "columnIds": ["a", "b"]},
        "sortingKey": ["day", "id"], "partitionBy": "toYYYYMM(day)", "primaryKey": "day"
      },
      "columns": [{"name": "id", "type": "UInt64"}]
    },
    "fieldMappings": [{"sourceField": "ID", "destinationField": "id"}],
    "settings": {
      "streaming_max_insert_wait_ms": 5000, "object_storage_concurrency": 4,
      "object_storage_polling_interval_ms": 30000, "object_storage_max_insert_bytes": 53687091200,
      "object_storage_max_file_count": 100, "engine_max_threads": 8, "engine_max_insert_threads": 2,
      "engine_min_insert_block_size_bytes": 10737418240, "engine_max_download_threads": 3,
      "engine_parallel_distributed_insert_select": 2, "object_storage_use_cluster_function": true,
      "engine_parallel_view_processing": true
    },
    "createdAt": "2026-05-06", "updatedAt": "last week"`),
  Dashboard: json(`"id": "da5b00000000000000000001", "name": "API health",
    "tiles": [{
      "id": "api-errors", "name": "Error rate", "x": 1, "y": 2, "w": 3, "h": 4, "asRatio": true,
      "series": [{
        "type": "time", "dataSource": "events", "aggFn": "count", "where": "level:error",
        "groupBy": ["service", "route"]
      }]
    }],
    "tags": ["api", "on-call"]`),
  Alert: json(`"id": "a1e400000000000000000001", "name": "API error rate",
    "message": "Too many requests fail.", "threshold": 0.02, "interval": "5m", "thresholdType": "above", "source": "search",
    "state": "active", "channel": {"type": "webhook", "webhookId": "3eb000000000000000000001"},
    "team": "7ea300000000000000000001", "tileId": "api-errors",
    "dashboard": "da5b00000000000000000001", "savedSearch": "5ea400000000000000000001",
    "groupBy": "service", "silenced": true, "createdAt": "2026-03-10T10:00:00Z",
    "updatedAt": "2026-10-28T14:21:09Z"`),
};

/** Members of `source`; a pipe has one of them. */
const sourceRecords = {
  kafka: json(`"brokers": "b1:9092,b2:9092", "topics": "clicks", "consumerGroup": "sluice",
    "iamRole": "arn:kafka", "offset": {"timestamp": "2026-01-01T00:00"},
    "schemaRegistry": {"url": "https://registry.example", "caCertificate": "registry certificate"},
    "caCertificate": "broker certificate", "reversePrivateEndpointIds": ["rpe-1"]`),
  objectStorage:
    json(`"url": "https://bucket.example/*.csv", "delimiter": ";", "compression": "gzip",
    "isContinuous": true, "queueUrl": "https://queue.example", "iamRole": "arn:s3",
    "connectionString": "AccountKey=x", "path": "in/", "azureContainerName": "invoices"`),
  kinesis: json(`"streamName": "telemetry", "region": "eu-central-1", "useEnhancedFanOut": true,
    "timestamp": 1767225600, "iamRole": "arn:kinesis"`),
  postgres: json(`"host": "pg.example", "port": 5432, "database": "shop",
    "settings": {
      "syncIntervalSeconds": 60, "pullBatchSize": 100000, "publicationName": "publication",
      "replicationSlotName": "slot", "allowNullableColumns": true, "initialLoadParallelism": 4,
      "snapshotNumRowsPerPartition": 500000, "snapshotNumberOfParallelTables": 2,
      "enableFailoverSlots": true
    },
    "tableMappings": [{
      "sourceSchemaName": "public", "sourceTable": "orders", "targetTable": "shop_orders",
      "excludedColumns": ["card_number", "notes"], "useCustomSortingKey": true,
      "sortingKeys": ["id", "day"]
    }]`),
};
export type SourceKind = keyof typeof sourceRecords;

const isDeprecated = (name: string): boolean => /^(min|max)TotalMemoryGb$/.test(name);
/** The name in the schema. */
const nameOf = (name: string): string => {
  if (/^(team|dashboard|savedSearch)$/.test(name)) return `${name}Id`;
  if (name === 'expireAt') return 'expiresAt';
  if (name === 'usedAt') return 'lastUsedAt';
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
};
const isEnum = (name: string, sample: unknown): boolean =>
  /^(roles|thresholdType|source)$/.test(name) && /^[a-z_]+$/.test(String(sample));

type Type = 'string' | 'integer' | 'number' | 'boolean' | 'date-time' | 'enum' | 'object';

export interface Documented {
  readonly type: Type | readonly ['array of', Type];
  /** The value on the wire. */
  readonly sample?: unknown;
  /** The name in the schema. */
  readonly name?: string;
  /** Members of an object, or of each object of an array. */
  readonly members?: Resource;
}

export type Resource = Readonly<Record<string, Documented>>;

const typeOf = (name: string, sample: unknown): Type => {
  if (isEnum(name, sample)) return 'enum';
  if (typeof sample === 'number') return Number.isInteger(sample) ? 'integer' : 'number';
  if (typeof sample === 'boolean') return 'boolean';
  if (typeof sample === 'object') return 'object';
  return /^\d{4}-.*T.*(Z|[+-]\d\d:\d\d)$/.test(String(sample)) ? 'date-time' : 'string';
};

const resourceOf = (record: Json): Resource =>
  Object.fromEntries(
    Object.entries(record).map(([name, sample]) => {
      const one: unknown = Array.isArray(sample) ? sample[0] : sample;
      const type = typeOf(name, one);
      const members = type === 'object' && { members: resourceOf(one as Json) };
      const documented = Array.isArray(sample) ? (['array of', type] as const) : type;
      return [name, { type: documented, sample, name: nameOf(name), ...members }];
    }),
  );

const resourcesOf = <Name extends string>(all: Readonly<Record<Name, Json>>) =>
  Object.fromEntries(
    Object.entries<Json>(all).map(([name, record]) => [name, resourceOf(record)]),
  ) as Record<Name, Resource>;
export const resources = resourcesOf(records);
export const sources = resourcesOf(sourceRecords);

/** What a GraphQL answer has of a member of a record, without what is deprecated. */
const readOf = (sample: unknown, name = ''): unknown => {
  if (Array.isArray(sample)) return sample.map((each) => readOf(each, name));
  if (isEnum(name, sample)) return String(sample).toUpperCase();
  if (typeof sample !== 'object' || sample === null) return sample;
  const members = Object.entries(sample).filter(([member]) => !isDeprecated(member));
  return Object.fromEntries(
    members.map(([member, value]) => [nameOf(member), readOf(value, member)]),
  );
};
const answered = (kind: keyof typeof records) => readOf(records[kind]) as Json;

export const nodeIdOf = (...parts: readonly string[]): string =>
  Buffer.from(parts.join(':')).toString('base64url');

/**
 * Records with every documented member; each function gives one the identifier. What they say of their place is wrong: that is
 * known from the path.
 */
export const wire = {
  organization: records.Organization,
  invitation: records.Invitation,
  apiKey: records.ApiKey,
  backupConfiguration: records.BackupConfiguration,
  service: (id: string): Json => ({ ...records.Service, id, organizationId: 'forged' }),
  pipe: (id: string, kind: SourceKind = 'kafka', service = serviceId): Json => {
    const forged = { serviceId: `not ${service}`, organizationId: 'forged' };
    return { ...records.Pipe, id, ...forged, source: { [kind]: sourceRecords[kind] } };
  },
  source: (kind: SourceKind) => sourceRecords[kind],
  dashboard: (id: string): Json => {
    const tiles = records.Dashboard.tiles as readonly Json[];
    const forged = tiles.map((tile) => ({ ...tile, dashboardId: 'forged' }));
    return { ...records.Dashboard, id, tiles: forged };
  },
  alert: (id: string, dashboard: string): Json => ({ ...records.Alert, id, dashboard }),
};

/** What operations/ reads of these records. */
export const read = {
  organization: {
    ...answered('Organization'),
    nodeId: nodeIdOf('Organization', organizationId),
  },
  invitation: answered('Invitation'),
  apiKey: {
    ...answered('ApiKey'),
    nodeId: nodeIdOf('ApiKey', organizationId, String(records.ApiKey.id)),
  },
  backupConfiguration: answered('BackupConfiguration'),
  service: (id: string): Json => {
    const nodeId = nodeIdOf('Service', organizationId, id);
    const made = { phase: 'UNKNOWN', availableCommands: [] };
    return { ...answered('Service'), id, nodeId, organizationId, ...made };
  },
  pipe: (id: string, kind: SourceKind = 'kafka', service: string = serviceId): Json => {
    const { connectionString: _, ...source } = readOf(sourceRecords[kind]) as Json;
    const __typename = `${kind.replace(/^./, (letter) => letter.toUpperCase())}Source`;
    return {
      ...{ ...answered('Pipe'), id, serviceId: service, organizationId },
      nodeId: nodeIdOf('Pipe', organizationId, service, id),
      phase: 'RUNNING',
      availableCommands: kind === 'postgres' ? ['STOP', 'RESYNC'] : ['STOP'],
      source: { __typename, ...source },
    };
  },
  dashboard: (id: string): Json => {
    const { tiles, ...dashboard } = answered('Dashboard');
    const withId = (tiles as readonly Json[]).map((tile) => {
      const nodeId = nodeIdOf('Tile', id, String(tile.id));
      return { ...tile, nodeId, dashboardId: id };
    });
    return { ...dashboard, id, nodeId: nodeIdOf('Dashboard', id), tiles: withId };
  },
  alert: (id: string, dashboardId: string): Json => {
    const nodeId = nodeIdOf('Alert', id);
    const { name, ...alert } = answered('Alert');
    return { ...alert, id, nodeId, name, displayName: name, dashboardId, phase: 'UNKNOWN' };
  },
};

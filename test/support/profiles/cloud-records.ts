import type { Dialect } from './shown.ts';

/** Records as ClickHouse Cloud describes them, with every member that its description has. */

export const organizationId = '0a9a0000-0000-4000-8000-000000000001';
export const serviceId = '5e4c0000-0000-4000-8000-000000000001';
export const pipeId = '919e0000-0000-4000-8000-000000000001';

export const organizationPath = `/v1/organizations/${organizationId}`;
export const servicePath = `${organizationPath}/services/${serviceId}`;
export const pipesPath = `${servicePath}/clickpipes`;
export const pipePath = `${pipesPath}/${pipeId}`;

export const cloud: Dialect = {
  fieldOf: (member) =>
    (member === 'clickhouseVersion' ? 'engineVersion' : member)
      .replace(/^clickhouse_/, 'engine_')
      .replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
  variants: {
    kafka: 'KafkaSource',
    objectStorage: 'ObjectStorageSource',
    kinesis: 'KinesisSource',
    postgres: 'PostgresSource',
    mysql: 'MySqlSource',
    bigquery: 'BigQuerySource',
    mongodb: 'MongoDbSource',
    pubsub: 'PubSubSource',
  },
};

const assignedRoles = [
  { roleId: '401e0000-0000-4000-8000-000000000001', roleName: 'Analyst', roleType: 'custom' },
];
const ipAccessList = [{ source: '192.0.2.0/24', description: 'office' }];

export const organization = {
  id: organizationId,
  createdAt: '2025-02-03T08:30:00Z',
  name: 'Northwind',
  privateEndpoints: [
    { id: 'vpce-1', description: 'office', cloudProvider: 'aws', region: 'eu-central-1' },
  ],
  byocConfig: [
    {
      id: 'byoc-1',
      state: 'infra-ready',
      accountName: 'account',
      regionId: 'eu-central-1',
      cloudProvider: 'aws',
      displayName: 'Own account',
    },
  ],
  enableCoreDumps: true,
};

export const invitation = {
  id: '19f10000-0000-4000-8000-000000000001',
  role: 'developer',
  email: 'ada@example.com',
  createdAt: '2026-10-01T00:00:00Z',
  expireAt: '2026-10-08T00:00:00Z',
  assignedRoles,
};

export const apiKey = {
  id: 'ce900000-0000-4000-8000-000000000001',
  name: 'reporting',
  state: 'enabled',
  roles: ['admin', 'developer', 'query_endpoints'],
  assignedRoles,
  keySuffix: 'x9Yz',
  createdAt: '2026-11-03T09:30:00Z',
  expireAt: '2027-11-03T09:30:00Z',
  usedAt: '2026-11-04T10:00:00Z',
  ipAccessList,
};

export const service = {
  id: serviceId,
  name: 'production',
  provider: 'aws',
  region: 'eu-central-1',
  state: 'running',
  clickhouseVersion: '26.7',
  endpoints: [{ protocol: 'nativesecure', host: 'db.example', port: 9440, username: null }],
  tier: 'production',
  minTotalMemoryGb: 48,
  maxTotalMemoryGb: 360,
  minReplicaMemoryGb: 16,
  maxReplicaMemoryGb: 120,
  replicaMemoryGb: 32,
  numReplicas: 3,
  autoscalingMode: 'vertical',
  minReplicas: 2,
  maxReplicas: 6,
  idleScaling: true,
  idleTimeoutMinutes: 15,
  ipAccessList,
  createdAt: '2025-02-03T09:00:00Z',
  encryptionKey: 'key-reference',
  encryptionAssumedRoleIdentifier: 'role-reference',
  iamRole: 'arn:aws:iam::1:role/db',
  privateEndpointIds: ['vpce-1'],
  availablePrivateEndpointIds: ['vpce-1', 'vpce-2'],
  dataWarehouseId: 'da7a0000-0000-4000-8000-000000000001',
  isPrimary: true,
  isReadonly: false,
  releaseChannel: 'default',
  byocId: 'byoc-1',
  hasTransparentDataEncryption: true,
  profile: 'v1-default',
  transparentDataEncryptionKeyId: 'tde-key',
  encryptionRoleId: 'tde-role',
  complianceType: 'hipaa',
  tags: [{ key: 'team', value: 'data' }],
  enableCoreDumps: false,
  scalingSchedule: {
    entries: [{ id: 'night' }],
    baseConfig: { numReplicas: 3 },
    activeEntryId: 'night',
  },
  currentScaling: { effectiveNumReplicas: 3 },
};

export const backupConfiguration = {
  backupPeriodInHours: 24,
  backupRetentionPeriodInHours: null,
  backupStartTime: '02:00',
};

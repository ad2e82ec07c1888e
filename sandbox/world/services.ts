import type { Endpoint, Service } from '../management/records.ts';
import { world } from './ids.ts';

const { main, second } = world.management;

const northwindWarehouse = '3a7e0000-0000-4000-8000-000000000001';
const trialWarehouse = '3a7e0000-0000-4000-8000-000000000002';
const harborlightWarehouse = '3a7e0000-0000-4000-8000-000000000011';

export const endpointsOn = (host: string, username: string | null): readonly Endpoint[] => [
  { protocol: 'https', host, port: 8443, username },
  { protocol: 'nativesecure', host, port: 9440, username },
];

const withoutEncryption = {
  encryptionKey: null,
  encryptionAssumedRoleIdentifier: null,
  hasTransparentDataEncryption: false,
  transparentDataEncryptionKeyId: null,
  encryptionRoleId: null,
} as const;

/** Production kind, paid, first in its warehouse, with every member set. */
export const production: Service = {
  id: main.services.production,
  name: 'production',
  engineVersion: '26.8',
  endpoints: [
    ...endpointsOn('production.eu-central-1.db.northwind.example', 'default'),
    {
      protocol: 'mysql',
      host: 'production.eu-central-1.db.northwind.example',
      port: 3306,
      username: null,
    },
  ],
  minTotalMemoryGb: 48,
  maxTotalMemoryGb: 360,
  minReplicaMemoryGb: 16,
  maxReplicaMemoryGb: 120,
  numReplicas: 3,
  idleScaling: false,
  idleTimeoutMinutes: 15,
  ipAccessList: [
    { source: '203.0.113.0/24', description: 'Office, Hamburg' },
    { source: '198.51.100.17', description: 'Scheduler' },
  ],
  createdAt: '2025-02-11T09:31:55Z',
  encryptionKey: 'arn:aws:kms:eu-central-1:000000000000:key/demo-production',
  encryptionAssumedRoleIdentifier: 'arn:aws:iam::000000000000:role/demo-encryption',
  iamRole: 'arn:aws:iam::000000000000:role/demo-production',
  privateEndpointIds: ['vpce-0a41c7d2e9b85f310'],
  availablePrivateEndpointIds: ['vpce-0a41c7d2e9b85f310', 'vpce-0f92b6a3c1d74e856'],
  dataWarehouseId: northwindWarehouse,
  isPrimary: true,
  isReadonly: false,
  byocId: 'byoc-eu-central-1',
  hasTransparentDataEncryption: true,
  transparentDataEncryptionKeyId: 'tde-demo-production',
  encryptionRoleId: 'role-demo-encryption',
};

/** A read-only service in production's warehouse, with one replica. */
export const reporting: Service = {
  ...production,
  id: main.services.reporting,
  name: 'reporting (read-only replica)',
  endpoints: endpointsOn('reporting.eu-central-1.db.northwind.example', 'reporting'),
  minTotalMemoryGb: 24,
  maxTotalMemoryGb: 96,
  minReplicaMemoryGb: 8,
  maxReplicaMemoryGb: 32,
  numReplicas: 1,
  idleScaling: true,
  idleTimeoutMinutes: 30,
  ipAccessList: [{ source: '203.0.113.0/24', description: 'Office, Hamburg' }],
  createdAt: '2025-09-23T07:48:12Z',
  iamRole: 'arn:aws:iam::000000000000:role/demo-reporting',
  privateEndpointIds: ['vpce-0f92b6a3c1d74e856'],
  isPrimary: false,
  isReadonly: true,
};

/** Development kind, in no warehouse. */
export const staging: Service = {
  ...withoutEncryption,
  id: main.services.staging,
  name: 'staging',
  engineVersion: '26.10',
  endpoints: endpointsOn('staging.eu-central-1.db.northwind.example', 'default'),
  minTotalMemoryGb: null,
  maxTotalMemoryGb: null,
  minReplicaMemoryGb: null,
  maxReplicaMemoryGb: null,
  numReplicas: 1,
  idleScaling: true,
  idleTimeoutMinutes: 5,
  ipAccessList: [{ source: '0.0.0.0/0', description: 'Anywhere' }],
  createdAt: '2025-03-04T13:20:00Z',
  iamRole: 'arn:aws:iam::000000000000:role/demo-staging',
  privateEndpointIds: [],
  availablePrivateEndpointIds: ['vpce-0a41c7d2e9b85f310'],
  dataWarehouseId: null,
  isPrimary: null,
  isReadonly: false,
  byocId: null,
};

/** Production kind, not paid, first in its warehouse. */
export const trial: Service = {
  ...staging,
  id: main.services.trial,
  name: 'customer-360 trial',
  engineVersion: '26.8',
  endpoints: endpointsOn('customer-360.us-east-1.db.northwind.example', null),
  minTotalMemoryGb: 24,
  maxTotalMemoryGb: 48,
  minReplicaMemoryGb: 8,
  maxReplicaMemoryGb: 16,
  numReplicas: 2,
  idleTimeoutMinutes: null,
  ipAccessList: [],
  createdAt: '2026-11-02T10:10:10Z',
  iamRole: null,
  availablePrivateEndpointIds: [],
  dataWarehouseId: trialWarehouse,
  isPrimary: true,
};

/** The second organization's only service. */
export const metering: Service = {
  ...production,
  ...withoutEncryption,
  id: second.services.production,
  name: 'metering',
  endpoints: endpointsOn('metering.eu-west-1.db.harborlight.example', 'default'),
  minTotalMemoryGb: 24,
  maxTotalMemoryGb: 72,
  minReplicaMemoryGb: 8,
  maxReplicaMemoryGb: 24,
  ipAccessList: [],
  createdAt: '2026-04-02T12:22:48Z',
  iamRole: 'arn:aws:iam::000000000000:role/demo-metering',
  privateEndpointIds: [],
  availablePrivateEndpointIds: [],
  dataWarehouseId: harborlightWarehouse,
  byocId: null,
};

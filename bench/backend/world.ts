import { alertId, dashboardId, invitationId, organizationId, serviceId } from './ids.ts';
import { createPipe } from './pipes.ts';
import type {
  AlertRecord,
  BackupConfigurationRecord,
  DashboardRecord,
  InvitationRecord,
  PipeRecord,
  ServiceRecord,
} from './records.ts';

/** All that the backend knows: whole records, of which the operations select a part. */
export interface World {
  readonly organization: { readonly id: string; readonly name: string };
  readonly service: ServiceRecord;
  readonly backupConfiguration: BackupConfigurationRecord;
  readonly invitations: readonly InvitationRecord[];
  readonly pipes: readonly PipeRecord[];
  readonly alerts: readonly AlertRecord[];
  readonly dashboards: readonly DashboardRecord[];
}

const count = <Item>(length: number, create: (index: number) => Item): readonly Item[] =>
  Array.from({ length }, (_, index) => create(index));

/** Ten dashboards, and every one of them is some alert's. */
const dashboardCount = 10;

const createAlert = (index: number) => ({
  id: alertId(index),
  name: index % 10 === 9 ? null : `alert ${index}: error rate`,
  message: 'More than 2 % of requests fail. Runbook: https://runbooks.bench.example/errors',
  threshold: index + 0.5,
  interval: '5m',
  thresholdType: 'above',
  source: 'tile',
  state: index % 7 === 0 ? 'ALERT' : 'OK',
  channel: { type: 'webhook', webhookId: 'b0b0000000000000000000aa' },
  team: 'c0c0000000000000000000bb',
  tileId: 'tile-0',
  dashboard: dashboardId(index % dashboardCount),
  silenced: false,
  createdAt: '2026-03-10T10:00:00Z',
  updatedAt: '2026-10-28T14:21:09Z',
});

const createDashboard = (index: number) => ({
  id: dashboardId(index),
  name: `dashboard ${index}`,
  tiles: count(6, (tile) => ({
    id: `tile-${tile}`,
    name: `tile ${tile} of dashboard ${index}`,
    x: (tile % 2) * 6,
    y: Math.floor(tile / 2) * 4,
    w: 6,
    h: 4,
    asRatio: false,
    series: [{ type: 'time', dataSource: 'events', aggFn: 'count', where: '', groupBy: [] }],
  })),
  tags: ['bench'],
});

const service = {
  id: serviceId,
  name: 'production',
  engineVersion: '26.8',
  endpoints: [
    { protocol: 'https', host: 'production.db.bench.example', port: 8443, username: 'default' },
    { protocol: 'mysql', host: 'production.db.bench.example', port: 3306, username: null },
  ],
  minTotalMemoryGb: 48,
  maxTotalMemoryGb: 360,
  minReplicaMemoryGb: 16,
  maxReplicaMemoryGb: 120,
  numReplicas: 3,
  idleScaling: false,
  idleTimeoutMinutes: 15,
  ipAccessList: [{ source: '203.0.113.0/24', description: 'Office' }],
  createdAt: '2025-02-11T09:31:55Z',
  iamRole: 'arn:aws:iam::000000000000:role/bench-production',
  privateEndpointIds: [],
  dataWarehouseId: '5b1f0000-0000-4000-8000-000000000201',
  isPrimary: true,
  isReadonly: false,
};

/** The same world for the backend, and for the answers that are expected. */
export const createWorld = (): World => ({
  organization: { id: organizationId, name: 'bench' },
  service,
  backupConfiguration: {
    backupPeriodInHours: 24,
    backupRetentionPeriodInHours: 168,
    backupStartTime: '03:00',
  },
  invitations: count(5, (index) => ({
    id: invitationId(index),
    email: `person-${index}@bench.example`,
    createdAt: '2026-11-01T08:00:00Z',
    expireAt: '2026-12-01T08:00:00Z',
  })),
  pipes: count(20, createPipe),
  alerts: count(100, createAlert),
  dashboards: count(dashboardCount, createDashboard),
});

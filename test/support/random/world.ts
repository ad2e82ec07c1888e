import type { Thing, World, WorldOrganization, WorldService } from '../world/backend.ts';
import { withIds } from '../world/ids.ts';
import { numbers } from '../world/worlds.ts';
import type { Random } from './random.ts';

const name = ['Orders', 'orders daily', 'Clicks', '', null];
const createdAt = ['2026-03-10T10:00:00Z', null, 'not a date'];

/** By kind, the values that each member may have. Each member may be absent, too. */
const members = {
  organization: {
    name,
    createdAt,
    privateEndpoints: [[{ id: 'endpoint-1', description: null }], null],
  },
  service: {
    name,
    state: ['running', 'idle', 'Idle', null],
    tags: [[{ key: 'owner', value: 'sales' }], [{ key: 'owner' }], null],
    createdAt,
    numReplicas: [3, '3', 2.5, null],
    endpoints: [[{ protocol: 'https', port: 8443, username: null }], [], null],
  },
  pipe: {
    name,
    state: ['Running', 'Stopped', 'stopped', 'Pausing', 'Failed', 7, null],
    source: [
      { kafka: { brokers: 'b:9092', topics: 'clicks', offset: { timestamp: '1' } } },
      { objectStorage: { url: 's3://b/*', isContinuous: true } },
      { kinesis: { streamName: 'readings', timestamp: 1_767_225_600 } },
      { postgres: { host: 'db', port: 5432, settings: { pullBatchSize: 53_687_091_200 } } },
      { pulsar: { topic: 'x' } },
      null,
    ],
    scaling: [{ replicas: 2, replicaMemoryGb: 0.5 }, null],
    settings: [{ engine_max_threads: 4 }, { engine_max_threads: 'many' }, null],
    fieldMappings: [[{ sourceField: 'a', destinationField: 'b' }], null],
    createdAt: ['yesterday'],
  },
  dashboard: { name, tags: [['a', 'b'], null] },
  tile: {
    name,
    x: [0, 1.5, null],
    series: [[{ type: 'time', groupBy: ['host'] }], null],
  },
  alert: {
    name,
    threshold: [1, 0.5, null],
    thresholdType: ['above', 'below', 'beside', null],
    source: ['tile', 'search', 'saved_search', null],
    state: ['active', 'ALERT', 'Alert', 'PENDING', 7, null],
    channel: [{ type: 'webhook', webhookId: 'webhook-1' }, null],
    team: ['team-1'],
    silenced: [true, { by: 'somebody' }, null],
    createdAt,
    // Some exist, some are deleted, some are not valid identifiers.
    dashboard: [...numbers(5).map((index) => `dashboard-${index}`), null, '', 'no/id', '..'],
    tileId: ['tile-1', 'tile-2', 'tile-3', null, ''],
  },
} as const;

/**
 * A small world with every oddity that the gateway must survive: 0 to 3 organizations, 0 to 4 dashboards, 0 to 6 alerts, and
 * everything that belongs to them. The numbers are fixed, so that operations do not depend on the world: organization n has
 * the services 2n-1 and 2n, service n the pipes 2n-1 and 2n, and any of them may be missing.
 */
export const randomWorld = (random: Random): World => {
  const some = (values: readonly number[]) => values.filter(() => random.chance(80));
  const ofPair = (number: number) => some([2 * number - 1, 2 * number]);
  const thing = (kind: keyof typeof members, number: number): Thing => {
    const present = Object.entries<readonly unknown[]>(members[kind]).filter(() =>
      random.chance(80),
    );
    const values = present.map(([name, choices]) => [name, random.any(choices)]);
    return { ...Object.fromEntries(values), id: withIds(`${kind}-${number}`) };
  };

  const serviceOf = (number: number): WorldService => ({
    ...thing('service', number),
    pipes: ofPair(number).map((pipe) => thing('pipe', pipe)),
    backup: random.any([{ backupPeriodInHours: 24, backupStartTime: '02:00' }, {}, null]) ?? null,
  });
  const organizationOf = (number: number): WorldOrganization => ({
    ...thing('organization', number),
    services: ofPair(number).map(serviceOf),
    invitations: ofPair(number).map((index) => ({
      id: withIds(`invitation-${index}`),
      email: null,
    })),
  });
  // Identifiers of tiles are unique only within their dashboard.
  const tiles = () => some([1, 2]).map((tile) => thing('tile', tile));
  return {
    organizations: some(numbers(3)).map(organizationOf),
    dashboards: some(numbers(4)).map((number) => ({
      ...thing('dashboard', number),
      tiles: random.chance(80) ? tiles() : null,
    })),
    alerts: some(numbers(6)).map((number) => thing('alert', number)),
  };
};

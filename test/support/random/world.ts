import fc from 'fast-check';
import type { Thing, World, WorldOrganization, WorldService } from '../world/backend.ts';
import { withIds } from '../world/ids.ts';
import { numbers } from '../world/worlds.ts';

/**
 * Small worlds with every oddity that the gateway must survive. The numbers are fixed, so that operations do not depend on
 * the world: organization n has the services 2n-1 and 2n, service n the pipes 2n-1 and 2n, and any of them may be missing.
 */

/** Most of the values, in their order. */
const some = (values: readonly number[]): fc.Arbitrary<readonly number[]> =>
  fc
    .tuple(...values.map(() => fc.nat(99)))
    .map((draws) => values.filter((_, index) => (draws[index] ?? 0) >= 20));
const pair = (number: number): readonly number[] => [2 * number - 1, 2 * number];
const name = fc.constantFrom('Orders', 'orders daily', 'Clicks', '', null);
const dateTime = fc.constantFrom('2026-03-10T10:00:00Z', null, 'not a date');

/** Members that may be absent. */
const thing = (
  id: string,
  members: Readonly<Record<string, fc.Arbitrary<unknown>>>,
): fc.Arbitrary<Thing> =>
  fc.record(members, { requiredKeys: [] }).map((record) => ({ ...record, id }));

const source = fc.constantFrom<unknown>(
  {
    kafka: {
      brokers: 'b:9092',
      topics: 'clicks',
      offset: { timestamp: '1' },
      schemaRegistry: null,
    },
  },
  { objectStorage: { url: 's3://b/*', isContinuous: true } },
  { kinesis: { streamName: 'readings', timestamp: 1_767_225_600 } },
  { postgres: { host: 'db', port: 5432, settings: { pullBatchSize: 53_687_091_200 } } },
  { pulsar: { topic: 'x' } },
  null,
);

const pipe = (number: number): fc.Arbitrary<Thing> =>
  thing(withIds(`pipe-${number}`), {
    name,
    state: fc.constantFrom('Running', 'Stopped', 'stopped', 'Pausing', 'Failed', 7, null),
    source,
    scaling: fc.constantFrom({ replicas: 2, replicaMemoryGb: 0.5 }, null),
    settings: fc.constantFrom(
      { engine_max_threads: 4, object_storage_max_insert_bytes: 53_687_091_200 },
      { engine_max_threads: 'many' },
      null,
    ),
    fieldMappings: fc.constantFrom([{ sourceField: 'a', destinationField: 'b' }], null),
    createdAt: fc.constant('yesterday'),
  });

/** All values of the arbitraries, in a list. */
const all = <Item>(items: readonly fc.Arbitrary<Item>[]): fc.Arbitrary<readonly Item[]> =>
  fc.tuple(...items);

const service = (number: number): fc.Arbitrary<WorldService> =>
  fc
    .record({
      record: thing(withIds(`service-${number}`), {
        name,
        state: fc.constantFrom('running', 'idle', 'Idle', null),
        tags: fc.constantFrom([{ key: 'owner', value: 'sales' }], [{ key: 'owner' }], null),
        createdAt: dateTime,
        numReplicas: fc.constantFrom(3, '3', 2.5, null),
        endpoints: fc.constantFrom([{ protocol: 'https', port: 8443, username: null }], [], null),
      }),
      pipes: some(pair(number)).chain((found) => all(found.map(pipe))),
      backup: fc.constantFrom({ backupPeriodInHours: 24, backupStartTime: '02:00' }, {}, null),
    })
    .map(({ record, ...rest }) => ({ ...record, ...rest }));

const organization = (number: number): fc.Arbitrary<WorldOrganization> =>
  fc
    .record({
      record: thing(withIds(`organization-${number}`), {
        name,
        createdAt: dateTime,
        privateEndpoints: fc.constantFrom([{ id: 'endpoint-1', description: null }], null),
      }),
      services: some(pair(number)).chain((found) => all(found.map(service))),
      invitations: some(pair(number)).map((found) =>
        found.map((index) => ({ id: withIds(`invitation-${index}`), email: null })),
      ),
    })
    .map(({ record, ...rest }) => ({ ...record, ...rest }));

/** Identifiers of tiles are unique only within their dashboard. */
const tile = (number: number): fc.Arbitrary<Thing> =>
  thing(`tile-${number}`, {
    name,
    x: fc.constantFrom(0, 1.5, null),
    series: fc.constantFrom([{ type: 'time', groupBy: ['host'] }], null),
  });

const dashboard = (number: number): fc.Arbitrary<Thing> =>
  thing(`dashboard-${number}`, {
    name,
    tags: fc.constantFrom(['a', 'b'], null),
    tiles: fc.option(some([1, 2]).chain((found) => all(found.map(tile)))),
  });

const alert = (number: number): fc.Arbitrary<Thing> =>
  thing(`alert-${number}`, {
    name,
    threshold: fc.constantFrom(1, 0.5, null),
    thresholdType: fc.constantFrom('above', 'below', 'beside', null),
    source: fc.constantFrom('tile', 'search', 'saved_search', null),
    state: fc.constantFrom('active', 'ALERT', 'Alert', 'PENDING', 7, null),
    channel: fc.constantFrom({ type: 'webhook', webhookId: 'webhook-1' }, null),
    team: fc.constant('team-1'),
    silenced: fc.constantFrom<unknown>(true, { by: 'somebody' }, null),
    createdAt: dateTime,
    // Some exist, some are deleted, some are not valid identifiers.
    dashboard: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...numbers(5).map((index) => `dashboard-${index}`)) },
      { weight: 2, arbitrary: fc.constantFrom(null, '', 'no/id', '..') },
    ),
    tileId: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom('tile-1', 'tile-2', 'tile-3') },
      { weight: 1, arbitrary: fc.constantFrom(null, '') },
    ),
  });

/** 0 to 3 organizations, 0 to 4 dashboards, 0 to 6 alerts, and everything that belongs to them. */
export const randomWorld: fc.Arbitrary<World> = fc.record({
  organizations: some([1, 2, 3]).chain((found) => all(found.map(organization))),
  dashboards: some([1, 2, 3, 4]).chain((found) => all(found.map(dashboard))),
  alerts: some(numbers(6)).chain((found) => all(found.map(alert))),
});

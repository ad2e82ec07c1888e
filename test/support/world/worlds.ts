import type { Thing, World, WorldService } from './backend.ts';
import { withIds } from './ids.ts';

/** 1 … count. */
export const numbers = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index + 1);

/** The item that comes to this number when the items come in turn, over and over; numbers count from 1. */
const inTurn = <Item>(items: readonly Item[], number: number): Item =>
  items[(number - 1) % items.length] as Item;

const sources = [
  { kafka: { brokers: 'broker:9092', topics: 'clicks' } },
  { objectStorage: { url: 's3://bucket/*', isContinuous: true } },
  { kinesis: { streamName: 'readings', region: 'eu-central-1' } },
  { postgres: { host: 'db.example', port: 5432, database: 'shop' } },
];

export const pipeOf = (number: number): Thing => ({
  id: withIds(`pipe-${number}`),
  name: `Pipe ${number}`,
  state: number % 2 === 1 ? 'Running' : 'Stopped',
  source: inTurn<object>(sources, number),
});

export const serviceOf = (number: number, pipes: readonly Thing[]): WorldService => ({
  id: withIds(`service-${number}`),
  name: `Service ${number}`,
  numReplicas: 3,
  pipes,
  backup: { backupPeriodInHours: 24, backupRetentionPeriodInHours: 168 },
});

export interface Sizes {
  readonly organizations: number;
  /** In the first organization; each other organization has a single service. */
  readonly services: number;
  readonly pipesPerService: number;
  readonly dashboards: number;
  readonly tilesPerDashboard: number;
  readonly alerts: number;
}

/**
 * A world of a given size, by default one organization without services; always the same. Services, pipes, dashboards, tiles
 * and alerts are numbered from 1; alerts are dealt to the dashboards in turn.
 */
export const worldOf = (given: Partial<Sizes>): World => {
  const sizes: Sizes = {
    ...{ organizations: 1, services: 0, pipesPerService: 1 },
    ...{ dashboards: 0, tilesPerDashboard: 1, alerts: 0 },
    ...given,
  };
  /** The numbers of what belongs to the owner with this number, if each has as many. */
  const ownedBy = (owner: number, each: number) =>
    numbers(each).map((number) => (owner - 1) * each + number);
  const services = numbers(sizes.services + sizes.organizations - 1).map((number) =>
    serviceOf(number, ownedBy(number, sizes.pipesPerService).map(pipeOf)),
  );
  const dashboards = numbers(sizes.dashboards).map((dashboard) => ({
    id: `dashboard-${dashboard}`,
    name: `Dashboard ${dashboard}`,
    tiles: ownedBy(dashboard, sizes.tilesPerDashboard).map((tile, index) => ({
      ...{ id: `tile-${tile}`, name: `Tile ${index + 1}` },
    })),
  }));
  return {
    organizations: numbers(sizes.organizations).map((number) => ({
      id: withIds(`organization-${number}`),
      name: `Organization ${number}`,
      services:
        number === 1
          ? services.slice(0, sizes.services)
          : services.slice(sizes.services + number - 2, sizes.services + number - 1),
      invitations: [{ id: withIds(`invitation-${number}`), email: `guest-${number}@example.org` }],
    })),
    dashboards,
    alerts: numbers(sizes.alerts).map((number) => {
      const { id, tiles } = inTurn(dashboards, number);
      return {
        ...{ id: `alert-${number}`, name: `Alert ${number}`, threshold: number },
        ...{ thresholdType: 'above', interval: '5m', source: 'tile' },
        channel: { type: 'webhook', webhookId: 'webhook-1' },
        dashboard: id,
        tileId: inTurn(tiles, Math.ceil(number / sizes.dashboards)).id,
      };
    }),
  };
};

import type { Thing, World, WorldOrganization, WorldService } from './backend.ts';
import { withIds } from './ids.ts';

/** 1 … count. */
export const numbers = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index + 1);

/** The group of an item when items are dealt to groups in turn; both are counted from 1. */
const dealt = (number: number, groups: number): number => ((number - 1) % groups) + 1;

/** The source of the pipe with this number: each of four kinds in turn. */
const sourceOf = (number: number): object => {
  const sources: readonly object[] = [
    { kafka: { brokers: 'broker:9092', topics: 'clicks' } },
    { objectStorage: { url: 's3://bucket/*', isContinuous: true } },
    { kinesis: { streamName: 'readings', region: 'eu-central-1' } },
    { postgres: { host: 'db.example', port: 5432, database: 'shop' } },
  ];
  return sources[(number - 1) % sources.length] ?? {};
};

export const pipeOf = (number: number): Thing => ({
  id: withIds(`pipe-${number}`),
  name: `Pipe ${number}`,
  state: number % 2 === 1 ? 'Running' : 'Stopped',
  source: sourceOf(number),
});

export const serviceOf = (number: number, pipes: readonly Thing[]): WorldService => ({
  id: withIds(`service-${number}`),
  name: `Service ${number}`,
  numReplicas: 3,
  pipes,
  backup: { backupPeriodInHours: 24, backupRetentionPeriodInHours: 168 },
});

export const organizationOf = (
  number: number,
  services: readonly WorldService[],
): WorldOrganization => ({
  id: withIds(`organization-${number}`),
  name: `Organization ${number}`,
  services,
  invitations: [{ id: withIds(`invitation-${number}`), email: `guest-${number}@example.org` }],
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
  const pipesOf = (service: number) =>
    numbers(sizes.pipesPerService).map((number) =>
      pipeOf((service - 1) * sizes.pipesPerService + number),
    );
  const services = numbers(sizes.services + sizes.organizations - 1).map((number) =>
    serviceOf(number, pipesOf(number)),
  );
  const tileOf = (dashboard: number, number: number) =>
    `tile-${(dashboard - 1) * sizes.tilesPerDashboard + number}`;
  return {
    organizations: numbers(sizes.organizations).map((number) =>
      organizationOf(
        number,
        number === 1
          ? services.slice(0, sizes.services)
          : services.slice(sizes.services + number - 2, sizes.services + number - 1),
      ),
    ),
    dashboards: numbers(sizes.dashboards).map((dashboard) => ({
      id: `dashboard-${dashboard}`,
      name: `Dashboard ${dashboard}`,
      tiles: numbers(sizes.tilesPerDashboard).map((number) => ({
        id: tileOf(dashboard, number),
        name: `Tile ${number}`,
      })),
    })),
    alerts: numbers(sizes.alerts).map((number) => {
      const dashboard = dealt(number, sizes.dashboards);
      return {
        id: `alert-${number}`,
        name: `Alert ${number}`,
        threshold: number,
        thresholdType: 'above',
        interval: '5m',
        source: 'tile',
        channel: { type: 'webhook', webhookId: 'webhook-1' },
        dashboard: `dashboard-${dashboard}`,
        tileId: tileOf(
          dashboard,
          dealt(Math.ceil(number / sizes.dashboards), sizes.tilesPerDashboard),
        ),
      };
    }),
  };
};

import { type FleetSize, kindsOf, type ServiceKind } from './fleet-size.ts';
import { nameOf, type Stamp, stateOf } from './names.ts';
import { createPipe } from './pipes.ts';

/**
 * Organizations: for the page of ten reads, for the thirty small pages, and for Q1 and Q2. The fourth is the fleet, with any
 * number of services.
 */
export const sizes = [
  { services: 8, pipes: 3 },
  { services: 30, pipes: 3 },
  { services: 1, pipes: 20 },
  { services: 0, pipes: 3 },
] as const;
export const fleetOrganization = 3;

/** Alert i belongs to dashboard i mod 10. */
export const [dashboardCount, alertCount, tileCount] = [10, 100, 6];

export const count = <Item>(length: number, create: (index: number) => Item): readonly Item[] =>
  Array.from({ length }, (_, index) => create(index));

const id = (...numbers: readonly [number, number, number]): string =>
  `5b1f0000-0000-4000-8000-${numbers.map((each) => String(each).padStart(4, '0')).join('')}`;

export const organizationId = (organization: number): string => id(organization, 0, 0);
export const serviceId = (organization: number, service: number): string =>
  id(organization, service + 1, 0);
export const pipeId = (organization: number, service: number, pipe: number): string =>
  id(organization, service + 1, pipe + 1);
export const alertId = (index: number): string => `a1e7${String(index).padStart(20, '0')}`;
const dashboardId = (index: number): string => `da5b${String(index).padStart(20, '0')}`;

const services = (organization: string): string => `/v1/organizations/${organization}/services`;
const pipes = (organization: string, service: string): string =>
  `${services(organization)}/${service}/pipes`;

/** The REST paths for the queries. */
export const paths = {
  organization: (organization: string) => `/v1/organizations/${organization}`,
  invitations: (organization: string) => `/v1/organizations/${organization}/invitations`,
  services,
  service: (organization: string, service: string) => `${services(organization)}/${service}`,
  backup: (organization: string, service: string) =>
    `${services(organization)}/${service}/backupConfiguration`,
  pipes,
  pipe: (organization: string, service: string, pipe: string) =>
    `${pipes(organization, service)}/${pipe}`,
  alerts: '/api/v2/alerts',
  alert: (alert: string) => `/api/v2/alerts/${alert}`,
  dashboards: '/api/v2/dashboards',
  dashboard: (dashboard: string) => `/api/v2/dashboards/${dashboard}`,
};

const serviceRecord = {
  engineVersion: '26.8',
  endpoints: [
    { protocol: 'https', host: 'production.db.bench.example', port: 8443, username: 'default' },
    { protocol: 'mysql', host: 'production.db.bench.example', port: 3306, username: null },
  ],
  numReplicas: 3,
  idleScaling: false,
  createdAt: '2025-02-11T09:31:55Z',
};
const backupRecord = { backupPeriodInHours: 24, backupStartTime: '03:00' };

const createInvitation = (index: number) => ({
  id: id(9, 9, index),
  email: `person-${index}@bench.example`,
  createdAt: '2026-11-01T08:00:00Z',
});

const createAlert = (index: number) => ({
  id: alertId(index),
  threshold: index + 0.5,
  interval: '5m',
  thresholdType: 'above',
  state: index % 7 === 0 ? 'ALERT' : 'OK',
  channel: { type: 'webhook', webhookId: 'b0b0000000000000000000aa' },
  dashboard: dashboardId(index % dashboardCount),
});

const createTile = (index: number) => ({ id: `tile-${index}`, x: 0, y: 4 * index, w: 6, h: 4 });

interface Named {
  readonly id: string;
  readonly name: string;
}
export type Service = typeof serviceRecord & Named;
export type Backup = typeof backupRecord;
export type Invitation = ReturnType<typeof createInvitation>;
export type Alert = ReturnType<typeof createAlert> & Named;
export type Dashboard = Named & { readonly tiles: readonly Named[] };

/** The reader and the time of a read. */
export type Look = Pick<Stamp, 'caller' | 'at'>;
type Read = (look: Look) => unknown;

/**
 * The content of one backend. `reads`: the record or list for each path at a given moment. `commands`: the result of `start`
 * or `stop` for each path; stopping a stopped pipe changes nothing.
 */
export const createWorld = (fleet: FleetSize = { services: 0, sleeping: 0, slow: 0 }) => {
  const versions = new Map<string, number>();
  const reads = new Map<string, Read>();
  const commands = new Map<string, (look: Look, command: unknown) => unknown>();

  /** Adds the list at a path, and each of its items at the item's own path. */
  const list = (path: string, items: readonly (readonly [string, Read])[]): void => {
    for (const [itemPath, read] of items) reads.set(itemPath, read);
    reads.set(path, (look) => items.map(([, read]) => read(look)));
  };
  const named = (thing: string, record: object) => (look: Look) => ({
    ...record,
    name: nameOf({ thing, version: 0, ...look }),
  });

  const pipe = (numbers: readonly [number, number, number]): readonly [string, Read] => {
    const own = pipeId(...numbers);
    const ids = [organizationId(numbers[0]), serviceId(numbers[0], numbers[1]), own] as const;
    const record = createPipe(own, ids[1], numbers[2]);
    const read: Read = (look) => {
      const version = versions.get(own) ?? 0;
      const name = nameOf({ thing: `pipe ${numbers.join('.')}`, version, ...look });
      return { ...record, name, state: stateOf(version) };
    };
    commands.set(`${paths.pipe(...ids)}/state`, (look, command) => {
      const version = versions.get(own) ?? 0;
      const changes = command === (stateOf(version) === 'Running' ? 'stop' : 'start');
      versions.set(own, version + (changes ? 1 : 0));
      return read(look);
    });
    return [paths.pipe(...ids), read];
  };

  const organizations = sizes.map((size, organization): readonly [string, Read] => {
    const own = organizationId(organization);
    const services = organization === fleetOrganization ? fleet.services : size.services;
    const each = count(services, (service): readonly [string, Read] => {
      const ids = [own, serviceId(organization, service)] as const;
      const pipes = count(size.pipes, (index) => pipe([organization, service, index]));
      list(paths.pipes(...ids), pipes);
      reads.set(paths.backup(...ids), () => backupRecord);
      const record = { ...serviceRecord, id: ids[1] };
      return [paths.service(...ids), named(`service ${organization}.${service}`, record)];
    });
    list(paths.services(own), each);
    reads.set(paths.invitations(own), () => count(5, createInvitation));
    return [paths.organization(own), named(`organization ${organization}`, { id: own })];
  });
  list('/v1/organizations', organizations);
  const dashboards = count(dashboardCount, (index): [string, Read] => {
    const tiles = count(tileCount, (at) => named(`tile ${index}.${at}`, createTile(at)));
    const own = named(`dashboard ${index}`, { id: dashboardId(index) });
    const read: Read = (look) => ({ ...own(look), tiles: tiles.map((tile) => tile(look)) });
    return [paths.dashboard(dashboardId(index)), read];
  });
  const alerts = count(alertCount, (index): [string, Read] => {
    return [paths.alert(alertId(index)), named(`alert ${index}`, createAlert(index))];
  });
  list(paths.dashboards, dashboards);
  list(paths.alerts, alerts);
  const kinds = new Map(
    kindsOf(fleet).map((kind, service) => [serviceId(fleetOrganization, service), kind]),
  );
  /** The kind of the service whose pipes are at this path. */
  const kindOf = (path: string): ServiceKind =>
    kinds.get(/\/services\/([^/]+)\/pipes/.exec(path)?.[1] ?? '') ?? 'prompt';
  return { reads, commands, kindOf };
};

import { paths } from '../backend/paths.ts';
import { createPipe } from '../backend/pipes.ts';
import { createWorld } from '../backend/world.ts';
import { nameOf, type Stamp, stateOf } from './names.ts';

/** Services of each organization: eight for a page of ten reads, thirty for thirty pages at once. */
export const servicesOf = [8, 30] as const;
export const pipesOfService = 3;

const digits = (value: number): string => String(value).padStart(4, '0');
const id = (...numbers: readonly [number, number, number]): string =>
  `5b1f0000-0000-4000-8000-${numbers.map(digits).join('')}`;

export const organizationId = (organization: number): string => id(organization, 0, 0);
export const serviceId = (organization: number, service: number): string =>
  id(organization, service + 1, 0);
export const pipeId = (organization: number, service: number, pipe: number): string =>
  id(organization, service + 1, pipe + 1);

export const indexes = (length: number): readonly number[] =>
  Array.from({ length }, (_, index) => index);

const fixed = createWorld();
export const dashboards = fixed.dashboards;
export const alerts = fixed.alerts;

/** Who looks, and when. */
export type Look = Pick<Stamp, 'caller' | 'at'>;

type Read = (look: Look) => unknown;
type Command = (look: Look, command: unknown) => unknown;

/** What one backend holds. Its records are those of the other benchmark, with names that tell their age. */
export interface GoodputWorld {
  /** Path → the record, or the list, as it is at that moment. */
  readonly reads: ReadonlyMap<string, Read>;
  /** Path → a pipe's state command; a stopped pipe that is stopped stays as it is. */
  readonly commands: ReadonlyMap<string, Command>;
}

export const createGoodputWorld = (): GoodputWorld => {
  /** How often the state of a pipe has changed. */
  const versions = new Map<string, number>();
  const reads = new Map<string, Read>();
  const commands = new Map<string, Command>();

  /** Makes the list at a path, and each of its items at a path of its own. */
  const list = (path: string, items: readonly (readonly [string, Read])[]): void => {
    for (const [itemPath, read] of items) reads.set(itemPath, read);
    reads.set(path, (look) => items.map(([, read]) => read(look)));
  };

  const pipe = (organization: number, service: number, index: number): readonly [string, Read] => {
    const own = pipeId(organization, service, index);
    const thing = `pipe ${organization}.${service}.${index}`;
    const serviceIdOf = serviceId(organization, service);
    const record = { ...createPipe(index), id: own, serviceId: serviceIdOf };
    const read: Read = (look) => {
      const version = versions.get(own) ?? 0;
      return { ...record, name: nameOf({ thing, version, ...look }), state: stateOf(version) };
    };
    const ids = [organizationId(organization), serviceIdOf, own] as const;
    commands.set(paths.pipeState(...ids), (look, command) => {
      const version = versions.get(own) ?? 0;
      const changes = command === (stateOf(version) === 'Running' ? 'stop' : 'start');
      versions.set(own, version + (changes ? 1 : 0));
      return read(look);
    });
    return [paths.pipe(...ids), read];
  };

  const named =
    (thing: string, record: object): Read =>
    (look) => ({ ...record, name: nameOf({ thing, version: 0, ...look }) });

  const service = (organization: number, index: number): readonly [string, Read] => {
    const own = serviceId(organization, index);
    list(
      paths.pipes(organizationId(organization), own),
      indexes(pipesOfService).map((each) => pipe(organization, index, each)),
    );
    return [
      paths.service(organizationId(organization), own),
      named(`service ${organization}.${index}`, { ...fixed.service, id: own }),
    ];
  };

  list(
    paths.organizations,
    servicesOf.map((services, organization) => {
      const own = organizationId(organization);
      const each = indexes(services).map((index) => service(organization, index));
      list(paths.services(own), each);
      return [paths.organization(own), named(`organization ${organization}`, { id: own })];
    }),
  );
  list(
    paths.dashboards,
    dashboards.map((dashboard, index): [string, Read] => [
      paths.dashboard(dashboard.id ?? ''),
      (look) => ({
        ...dashboard,
        name: nameOf({ thing: `dashboard ${index}`, version: 0, ...look }),
        tiles: dashboard.tiles?.map((tile, at) => ({
          ...tile,
          name: nameOf({ thing: `tile ${index}.${at}`, version: 0, ...look }),
        })),
      }),
    ]),
  );
  list(
    paths.alerts,
    alerts.map((alert, index): [string, Read] => [
      paths.alert(alert.id ?? ''),
      named(`alert ${index}`, alert),
    ]),
  );
  return { reads, commands };
};

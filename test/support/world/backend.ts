import { type Answer, type Answering, type Call, data, json, result } from '../harness.ts';

/** An object with an identifier, as on the wire. */
export interface Thing {
  readonly id: string;
  readonly [member: string]: unknown;
}

export interface WorldService extends Thing {
  readonly pipes: readonly Thing[];
  /** The backup configuration; null if there is none. */
  readonly backup: object | null;
}

export interface WorldOrganization extends Thing {
  readonly services: readonly WorldService[];
  readonly invitations: readonly Thing[];
}

/** All data of both upstreams. */
export interface World {
  readonly organizations: readonly WorldOrganization[];
  /** As on the wire, with their tiles. */
  readonly dashboards: readonly Thing[];
  /** As on the wire: `dashboard` is an identifier. */
  readonly alerts: readonly Thing[];
}

export interface Backend {
  readonly management: Answering;
  readonly observability: Answering;
}

/** Payloads by `METHOD /path`; undefined or null if the object does not exist. */
type Routes = Readonly<Record<string, (ids: readonly string[], call: Call) => unknown>>;

interface Interface {
  readonly documented: Routes;
  /** What the documented interfaces do not have. */
  readonly beyond: Routes;
}

const byId = <Item extends Thing>(items: readonly Item[] = [], id?: string) =>
  items.find((item) => item.id === id);
const bodyOf = ({ body }: Call): Record<string, unknown> => JSON.parse(body);

/** The record of an organization or a service, without what other routes answer. */
const record = (thing: Thing | undefined): unknown => {
  if (!thing) return undefined;
  const { services, invitations, pipes, backup, ...members } = thing;
  return members;
};

const managementOf = ({ organizations }: World): Interface => {
  const organization = ([id]: readonly string[]) => byId(organizations, id);
  const service = (ids: readonly string[]) => byId(organization(ids)?.services, ids[1]);
  const pipe = (ids: readonly string[]) => byId(service(ids)?.pipes, ids[2]);
  const one = '/v1/organizations/{}';
  const oneService = `${one}/services/{}`;
  const onePipe = `${oneService}/pipes/{}`;
  const newKey = { key: { id: 'key-1', name: 'A key' }, keyId: 'the id', keySecret: 'the secret' };
  return {
    documented: {
      [`GET ${one}/invitations`]: (ids) => organization(ids)?.invitations,
      [`GET ${oneService}`]: (ids) => record(service(ids)),
      [`GET ${oneService}/backupConfiguration`]: (ids) => service(ids)?.backup,
      [`GET ${oneService}/pipes`]: (ids) => service(ids)?.pipes,
      [`PATCH ${one}`]: (ids) => record(organization(ids)),
      [`POST ${one}/keys`]: () => newKey,
      [`PATCH ${oneService}/scaling`]: (ids) => record(service(ids)),
      [`PATCH ${oneService}/password`]: () => ({ password: 'a new one' }),
      [`POST ${oneService}/pipes`]: (ids, call) => ({ ...bodyOf(call), id: ids[1] }),
      [`PATCH ${onePipe}`]: pipe,
      [`PATCH ${onePipe}/state`]: pipe,
    },
    beyond: {
      'GET /v1/organizations': () => organizations.map(record),
      [`GET ${one}`]: (ids) => record(organization(ids)),
      [`GET ${one}/services`]: (ids) => organization(ids)?.services.map(record),
      [`GET ${onePipe}`]: pipe,
    },
  };
};

const observabilityOf = ({ dashboards, alerts }: World): Interface => ({
  documented: {
    'GET /api/v2/alerts': () => alerts,
    'GET /api/v2/alerts/{}': ([id]) => byId(alerts, id),
    'PUT /api/v2/alerts/{}': ([id]) => byId(alerts, id),
    'DELETE /api/v2/dashboards/{}': () => ({}),
    'POST /api/v2/dashboards': (_, call) => {
      const { tiles, ...members } = bodyOf(call);
      const list = Array.isArray(tiles) ? tiles : [];
      const created = list.map((tile, index) => ({ ...tile, id: `tile-new-${index + 1}` }));
      return { ...members, id: 'dashboard-new', tiles: created };
    },
  },
  beyond: {
    'GET /api/v2/dashboards': () => dashboards,
    'GET /api/v2/dashboards/{}': ([id]) => byId(dashboards, id),
  },
});

const noSuchRoute = { status: 404, headers: { 'content-type': 'text/plain' }, body: 'Not Found' };
const requestId = '6f1d8a52-4c0e-4b59-9a6b-2f1f4a8d1c11';
const noSuchThing: Readonly<Record<Call['upstream'], Answer>> = {
  management: json({ status: 404, error: 'NOT_FOUND: no such thing', requestId }, 404),
  observability: json({ message: 'no such thing' }, 404),
};

/** The identifiers in a call, if the route is its own. */
const idsIn = (route: string, { method, path }: Pick<Call, 'method' | 'path'>) =>
  new RegExp(`^${route.replaceAll('{}', '([^/]+)')}$`).exec(`${method} ${path}`)?.slice(1);

const answering =
  ({ documented, beyond }: Interface, documentedOnly: boolean): Answering =>
  (call) => {
    const routes = { ...documented, ...(!documentedOnly && beyond) };
    for (const [route, payload] of Object.entries(routes)) {
      const ids = idsIn(route, call);
      if (!ids) continue;
      const found = payload(ids, call) ?? undefined;
      if (found === undefined) return noSuchThing[call.upstream];
      return call.upstream === 'management' ? result(found) : data(found);
    }
    return noSuchRoute;
  };

/**
 * Both upstreams over plain data. Reads are answered from the data, and missing objects with a JSON 404. Writes are answered
 * in the documented form, but change nothing. With `documentedOnly`, other routes are unknown: 404 in plain text.
 */
export const createBackend = (world: World, { documentedOnly = false } = {}): Backend => ({
  management: answering(managementOf(world), documentedOnly),
  observability: answering(observabilityOf(world), documentedOnly),
});

/** Whether a path belongs to a documented GET. */
export const isDocumentedRead = (path: string): boolean => {
  const nothing: World = { organizations: [], dashboards: [], alerts: [] };
  const routes = { ...managementOf(nothing).documented, ...observabilityOf(nothing).documented };
  return Object.keys(routes).some((route) => idsIn(route, { method: 'GET', path }));
};

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

export interface BackendOptions {
  /** Answers routes that are not in the documented interfaces like an unknown route: 404 in plain text. */
  readonly documentedOnly?: boolean;
}

interface Route {
  readonly method: string;
  readonly pattern: RegExp;
  readonly documented: boolean;
  /** The payload; undefined if the object does not exist. */
  readonly payload: (ids: readonly string[], call: Call) => unknown;
}

const route =
  (documented: boolean) =>
  (method: string, path: string, payload: Route['payload']): Route => ({
    method,
    pattern: new RegExp(`^${path.replaceAll('{}', '([^/]+)')}$`),
    documented,
    payload,
  });

const documented = route(true);
const beyond = route(false);

const byId = <Item extends Thing>(items: readonly Item[], id: string | undefined) =>
  items.find((item) => item.id === id);

const organizationRecord = ({ services, invitations, ...record }: WorldOrganization) => record;
const serviceRecord = ({ pipes, backup, ...record }: WorldService) => record;
const bodyOf = ({ body }: Call): Record<string, unknown> => JSON.parse(body);

const managementRoutes = ({ organizations }: World): readonly Route[] => {
  const organization = ([id]: readonly string[]) => byId(organizations, id);
  const service = (ids: readonly string[]) => byId(organization(ids)?.services ?? [], ids[1]);
  const pipe = (ids: readonly string[]) => byId(service(ids)?.pipes ?? [], ids[2]);
  const asRecord = <Item>(item: Item | undefined, record: (item: Item) => unknown) =>
    item && record(item);

  const one = '/v1/organizations/{}';
  const oneService = `${one}/services/{}`;
  const onePipe = `${oneService}/pipes/{}`;
  return [
    documented('GET', `${one}/invitations`, (ids) => organization(ids)?.invitations),
    documented('GET', oneService, (ids) => asRecord(service(ids), serviceRecord)),
    documented('GET', `${oneService}/backupConfiguration`, (ids) => service(ids)?.backup),
    documented('GET', `${oneService}/pipes`, (ids) => service(ids)?.pipes),
    beyond('GET', '/v1/organizations', () => organizations.map(organizationRecord)),
    beyond('GET', one, (ids) => asRecord(organization(ids), organizationRecord)),
    beyond('GET', `${one}/services`, (ids) => organization(ids)?.services.map(serviceRecord)),
    beyond('GET', onePipe, pipe),
    documented('PATCH', one, (ids) => asRecord(organization(ids), organizationRecord)),
    documented('POST', `${one}/keys`, () => ({
      key: { id: 'key-1', name: 'A key' },
      keyId: 'the id',
      keySecret: 'the secret',
    })),
    documented('PATCH', `${oneService}/scaling`, (ids) => asRecord(service(ids), serviceRecord)),
    documented('PATCH', `${oneService}/password`, () => ({ password: 'a new one' })),
    documented('POST', `${oneService}/pipes`, (ids, call) => ({ ...bodyOf(call), id: ids[1] })),
    documented('PATCH', onePipe, pipe),
    documented('PATCH', `${onePipe}/state`, pipe),
  ];
};

const observabilityRoutes = ({ dashboards, alerts }: World): readonly Route[] => [
  documented('GET', '/api/v2/alerts', () => alerts),
  documented('GET', '/api/v2/alerts/{}', ([id]) => byId(alerts, id)),
  beyond('GET', '/api/v2/dashboards', () => dashboards),
  beyond('GET', '/api/v2/dashboards/{}', ([id]) => byId(dashboards, id)),
  documented('PUT', '/api/v2/alerts/{}', ([id]) => byId(alerts, id)),
  documented('DELETE', '/api/v2/dashboards/{}', () => ({})),
  documented('POST', '/api/v2/dashboards', (_, call) => {
    const { tiles, ...members } = bodyOf(call);
    const list = Array.isArray(tiles) ? tiles : [];
    return {
      ...members,
      id: 'dashboard-new',
      tiles: list.map((tile, index) => ({ ...tile, id: `tile-new-${index + 1}` })),
    };
  }),
];

const noSuchRoute: Answer = {
  status: 404,
  headers: { 'content-type': 'text/plain' },
  body: 'Not Found',
};

const requestId = '6f1d8a52-4c0e-4b59-9a6b-2f1f4a8d1c11';
const noSuchThing: Readonly<Record<Call['upstream'], Answer>> = {
  management: json({ status: 404, error: 'NOT_FOUND: no such thing', requestId }, 404),
  observability: json({ message: 'no such thing' }, 404),
};

const answering =
  (routes: readonly Route[], { documentedOnly = false }: BackendOptions): Answering =>
  (call) => {
    for (const { method, pattern, documented: listed, payload } of routes) {
      const ids = method === call.method && pattern.exec(call.path)?.slice(1);
      if (!ids) continue;
      if (documentedOnly && !listed) return noSuchRoute;
      const found = payload(ids, call) ?? undefined;
      if (found === undefined) return noSuchThing[call.upstream];
      return call.upstream === 'management' ? result(found) : data(found);
    }
    return noSuchRoute;
  };

/**
 * Both upstreams over plain data. Reads are answered from the data, and missing objects with a JSON 404. Writes are answered
 * in the documented form, but change nothing.
 */
export const createBackend = (world: World, options: BackendOptions = {}): Backend => ({
  management: answering(managementRoutes(world), options),
  observability: answering(observabilityRoutes(world), options),
});

/** Whether a path belongs to a documented GET. */
export const isDocumentedRead = (path: string): boolean => {
  const nothing: World = { organizations: [], dashboards: [], alerts: [] };
  return [...managementRoutes(nothing), ...observabilityRoutes(nothing)].some(
    (row) => row.method === 'GET' && row.documented && row.pattern.test(path),
  );
};

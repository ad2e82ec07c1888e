import { good } from './slots.ts';

/** Values other than texts that an upstream may send as an identifier. */
export const oddValues: readonly unknown[] = [
  ...[null, true, 7, -1, 1e21, [], ['x'], ['..'], {}, { id: '..' }, { toString: 'x' }],
];

export interface Brought {
  readonly title: string;
  readonly document: string;
  /** A record with this value for each of its identifiers. */
  readonly record: (id: unknown) => object;
  /** The request lines that are answered with the record, or with a list of records. */
  readonly source: RegExp;
  /** Further calls; `{x}` stands for an identifier from a record. */
  readonly calls: readonly string[];
}

const linked = (id: unknown) => ({ id, name: 'n', dashboard: id, tileId: id });
const withTiles = (id: unknown) => ({ id, name: 'n', tiles: [{ id }, { id: 't' }] });
const owned = (id: unknown) => ({ id, name: 'n', organizationId: id, serviceId: id });

const organization = `/v1/organizations/${good.o}`;
const service = `${organization}/services/${good.s}`;
const inService = `organizationId: "${good.o}", serviceId: "${good.s}"`;
const dashboards = ['GET /api/v2/dashboards', 'GET /api/v2/dashboards/{x}', 'GET /api/v2/alerts'];

const alertLinks = `nodeId dashboard { nodeId name alerts { id } tiles { id dashboard { name } } }
  tile { id name alerts { id } dashboard { name } }`;
const dashboardLinks = `nodeId alerts { id } tiles { id alerts { id } dashboard { name tags } }`;
const serviceLinks = `nodeId pipes { name service { name } } backupConfiguration { backupStartTime }
  organization { name } pipe(id: "${good.p}") { name }`;
const organizationLinks = `nodeId services { id } invitations { email }
  service(id: "${good.s}") { id pipes { name } }`;

const belowOrganization = (id: string) =>
  ['', '/services', '/invitations', `/services/${good.s}/pipes`].map(
    (path) => `GET /v1/organizations/${id}${path}`,
  );
const belowService = (id: string) => [
  ...['', '/pipes', '/backupConfiguration', `/pipes/${good.p}`].map(
    (path) => `GET ${organization}/services/${id}${path}`,
  ),
  ...[`GET ${organization}`, `GET ${organization}/services`],
];

export const brought: readonly Brought[] = [
  {
    title: 'rows of alerts',
    document: `{ alerts { ${alertLinks} } }`,
    record: linked,
    source: /^GET \S*\/alerts /,
    calls: dashboards,
  },
  {
    title: 'rows of dashboards',
    document: `{ dashboards { ${dashboardLinks} } }`,
    record: withTiles,
    source: /^GET \S*\/dashboards /,
    calls: dashboards,
  },
  {
    title: 'rows of organizations',
    document: `{ organizations { ${organizationLinks} } }`,
    record: owned,
    source: /^GET \S*\/organizations /,
    calls: ['GET /v1/organizations', ...belowOrganization('{x}')],
  },
  {
    title: 'rows of services',
    document: `{ organization(id: "${good.o}") { services { ${serviceLinks} } } }`,
    record: owned,
    source: /^GET \S*\/services /,
    calls: belowService('{x}'),
  },
  {
    title: 'rows of pipes',
    document: `{ service(${inService}) { pipes { nodeId name service { name pipe(id: "${good.p}") { name } } } } }`,
    record: owned,
    source: /^GET \S*\/pipes /,
    calls: belowService(good.s),
  },
  {
    title: 'an alert',
    document: `{ alert(id: "${good.a}") { name ${alertLinks} } }`,
    record: linked,
    source: /^GET \S*\/alerts\/\S+ /,
    calls: [...dashboards, `GET /api/v2/alerts/${good.a}`],
  },
  {
    title: 'a dashboard',
    document: `{ dashboard(id: "${good.d}") { name ${dashboardLinks} } }`,
    record: withTiles,
    source: /^GET \S*\/dashboards\/\S+ /,
    calls: [...dashboards, `GET /api/v2/dashboards/${good.d}`],
  },
  {
    title: 'an organization',
    document: `{ organization(id: "${good.o}") { name ${organizationLinks} } }`,
    record: owned,
    source: /^GET \S*\/organizations\/[^/ ]+ /,
    calls: belowOrganization(good.o),
  },
  {
    title: 'a service',
    document: `{ service(${inService}) { name ${serviceLinks} } }`,
    record: owned,
    source: /^GET \S*\/services\/[^/ ]+ /,
    calls: belowService(good.s),
  },
  {
    title: 'a pipe',
    document: `{ pipe(${inService}, pipeId: "${good.p}") { name nodeId service { name } } }`,
    record: owned,
    source: /^GET \S*\/pipes\/[^/ ]+ /,
    calls: belowService(good.s),
  },
  {
    title: 'a new dashboard',
    document: `mutation { createDashboard(input: {name: "n"}) { dashboard { ${dashboardLinks} } } }`,
    record: withTiles,
    source: /^POST /,
    calls: [...dashboards, 'POST /api/v2/dashboards'],
  },
  {
    title: 'a changed alert',
    document: `mutation { updateAlert(input: {alertId: "${good.a}", threshold: 1}) { alert { ${alertLinks} } } }`,
    record: linked,
    source: /^PUT /,
    calls: [...dashboards, `GET /api/v2/alerts/${good.a}`, `PUT /api/v2/alerts/${good.a}`],
  },
  {
    title: 'a scaled service',
    document: `mutation { updateServiceScaling(input: {${inService}, numReplicas: 2}) {
      service { ${serviceLinks} } } }`,
    record: owned,
    source: /^PATCH /,
    calls: [...belowService(good.s), `PATCH ${service}/scaling`],
  },
];

/** Whether the source is a list of records rather than a single one. */
export const isList = (source: RegExp): boolean => source.source.endsWith('s ');

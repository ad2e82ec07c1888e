/** An operation with what it must cost. Identifiers are written as `withIds` reads them. */
export interface OperationCase {
  readonly title: string;
  readonly document: string;
  /** The profile of management that it runs with; the reference's where left out. */
  readonly profile?: 'clickhouse-cloud';
  readonly variables?: Readonly<Record<string, unknown>>;
  /** Every upstream call, `METHOD /path`, in any order; equal ones as often as they are made. */
  readonly calls: readonly string[];
  /** The length of the longest chain of calls of which each waits for the one before. */
  readonly rounds: number;
  /** Path and code of each error; none where left out. */
  readonly errors?: readonly (readonly [path: string, code: string])[];
}

/** What the operations run against: see `worldOf`. */
export const sizes = {
  organizations: 2,
  services: 10,
  pipesPerService: 2,
  dashboards: 10,
  tilesPerDashboard: 2,
  alerts: 100,
} as const;

const root = '/v1/organizations/organization-1';
const services = `${root}/services`;
const organization = 'organization(id: "organization-1")';
const ofService = 'organizationId: "organization-1", serviceId: "service-1"';
const numbers = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index + 1);

export const cases: readonly OperationCase[] = [
  {
    title: 'a service with its pipes and its backups',
    document: `{ service(${ofService}) { name pipes { name state } backupConfiguration {
      backupPeriodInHours } } }`,
    calls: [
      `GET ${services}/service-1`,
      `GET ${services}/service-1/pipes`,
      `GET ${services}/service-1/backupConfiguration`,
    ],
    rounds: 1,
  },
  {
    title: 'a pipe by its identifier, and what it belongs to',
    document: `{ pipe(${ofService} pipeId: "pipe-1") { name service { name organization { name } } } }`,
    calls: [`GET ${services}/service-1/pipes/pipe-1`, `GET ${services}/service-1`, `GET ${root}`],
    rounds: 1,
  },
  {
    title: 'the same operation with nothing left out',
    document: `query Short($details: Boolean!, $short: Boolean!) { service(${ofService}) { name
      @include(if: $details) pipes { name } backupConfiguration @skip(if: $short) {
      backupPeriodInHours } ... @include(if: $details) { organization { name } } } }`,
    variables: { details: true, short: false },
    calls: [
      `GET ${services}/service-1`,
      `GET ${services}/service-1/pipes`,
      `GET ${services}/service-1/backupConfiguration`,
      `GET ${root}`,
    ],
    rounds: 1,
  },
  {
    title: 'an organization of 10 services with all that it runs',
    document: `{ ${organization} { name services { name pipes { name } backupConfiguration {
      backupPeriodInHours } } invitations { email } } }`,
    calls: [
      `GET ${root}`,
      `GET ${root}/services`,
      `GET ${root}/invitations`,
      ...numbers(10).flatMap((n) => [
        `GET ${services}/service-${n}/pipes`,
        `GET ${services}/service-${n}/backupConfiguration`,
      ]),
    ],
    rounds: 2,
  },
  {
    title: 'the pipes of all services in one list',
    document: `{ ${organization} { name pipes { totalCount items { name service { name organization {
      name } } } unreadServices { code } } } }`,
    calls: [
      `GET ${root}`,
      `GET ${root}/services`,
      ...numbers(10).map((n) => `GET ${services}/service-${n}/pipes`),
    ],
    rounds: 2,
  },
  {
    title: 'the same pipes below their services, filtered and counted',
    document: `{ ${organization} { serviceCount(filter: { nameContains: "1" }) services(filter: {
      nameContains: "1" }) { name } all: services { pipes { name } } pipes { totalCount }
      stopped: pipes(filter: { phaseIn: STOPPED }) { totalCount items { name } } } }`,
    calls: [
      `GET ${root}/services`,
      ...numbers(10).map((n) => `GET ${services}/service-${n}/pipes`),
    ],
    rounds: 2,
  },
  {
    title: 'one service and the invitations',
    document: `{ ${organization} { service(id: "service-1") { name } invitations { email } } }`,
    calls: [`GET ${services}/service-1`, `GET ${root}/invitations`],
    rounds: 1,
  },
  {
    title: 'a service, and its neighbours through the organization above it',
    document: `{ service(${ofService}) { name organization { services { name } invitations { email } }
      } }`,
    calls: [`GET ${root}/services`, `GET ${root}/invitations`],
    rounds: 1,
  },
  {
    title: 'several services of which one does not exist',
    document: `{ ${organization} { first: service(id: "service-1") { name } gone: service(id:
      "service-99") { name } } }`,
    calls: [`GET ${root}/services`, `GET ${services}/service-99`],
    rounds: 2,
    errors: [['organization.gone', 'NOT_FOUND']],
  },
  {
    title: 'an alert with dashboard and tile',
    document: '{ alert(id: "alert-1") { name dashboard { name } tile { name } } }',
    calls: ['GET /api/v2/alerts/alert-1', 'GET /api/v2/dashboards/dashboard-1'],
    rounds: 2,
  },
  {
    title: '100 alerts over 10 dashboards',
    document: '{ alerts { name dashboard { name tiles { name } } } }',
    calls: ['GET /api/v2/alerts', 'GET /api/v2/dashboards'],
    rounds: 2,
  },
  {
    title: 'dashboards, their tiles and the alerts of each tile',
    document: '{ dashboards { name tiles { name alerts { name } } alerts { name } } }',
    calls: ['GET /api/v2/dashboards', 'GET /api/v2/alerts'],
    rounds: 2,
  },
  {
    title: 'one dashboard with its alerts',
    document: '{ dashboard(id: "dashboard-1") { name tiles { name } alerts { name } } }',
    calls: ['GET /api/v2/dashboards/dashboard-1', 'GET /api/v2/alerts'],
    rounds: 1,
  },
  {
    title: 'both lists, linked',
    document: '{ alerts { name dashboard { name } } dashboards { name alerts { name } } }',
    calls: ['GET /api/v2/alerts', 'GET /api/v2/dashboards'],
    rounds: 1,
  },
  {
    title: 'a node of each type',
    document: `query Nodes { organization: node(nodeId: "Organization:organization-1") { ... on
      Organization { name } } service: node(nodeId: "Service:organization-1:service-1") { ...
      on Service { name pipes { name } } } nodes(nodeIds: [
      "Pipe:organization-1:service-2:pipe-3" "Dashboard:dashboard-1" "Alert:alert-1" ]) {
      nodeId ... on Pipe { name } ...Watching } } fragment Watching on Node { ... on Dashboard
      { name } ... on Alert { name } }`,
    calls: [
      `GET ${root}`,
      `GET ${services}/service-1`,
      `GET ${services}/service-1/pipes`,
      `GET ${services}/service-2/pipes/pipe-3`,
      'GET /api/v2/dashboards/dashboard-1',
      'GET /api/v2/alerts/alert-1',
    ],
    rounds: 1,
  },
  {
    title: 'nodes of which only identifiers are selected',
    document: `{ nodes(nodeIds: ["Alert:alert-1", "Pipe:organization-1:service-1:pipe-1"]) { __typename
      nodeId ... on Pipe { serviceId } } }`,
    calls: [],
    rounds: 0,
  },
  {
    title: 'a node whose type the fragments do not ask for',
    document: '{ node(nodeId: "Alert:alert-1") { nodeId ... on Dashboard { name } } }',
    calls: [],
    rounds: 0,
  },
  {
    title: 'updateServiceScaling, with the relations of the service',
    document: `mutation { updateServiceScaling(input: { ${ofService}, numReplicas: 3 }) { service {
      numReplicas pipes { name } backupConfiguration { backupPeriodInHours } organization {
      name } } } }`,
    calls: [
      `PATCH ${services}/service-1/scaling`,
      `GET ${services}/service-1/pipes`,
      `GET ${services}/service-1/backupConfiguration`,
      `GET ${root}`,
    ],
    rounds: 2,
  },
  {
    title: 'createPipe, with its service',
    document: `mutation { createPipe(input: { ${ofService} name: "New" source: { kinesis: { streamName:
      "readings" } } }) { pipe { name service { name } } } }`,
    calls: [`POST ${services}/service-1/pipes`, `GET ${services}/service-1`],
    rounds: 2,
  },
  {
    title: 'updatePipe with settings and a name, with the profile clickhouse-cloud',
    profile: 'clickhouse-cloud',
    document: `mutation { updatePipe(input: { ${ofService}, pipeId: "pipe-1", name: "New", settings: {
      engineMaxThreads: 4 } }) { pipe { name settings { engineMaxThreads } } } }`,
    calls: [
      `PATCH ${services}/service-1/clickpipes/pipe-1`,
      `GET ${services}/service-1/clickpipes/pipe-1/settings`,
      `PUT ${services}/service-1/clickpipes/pipe-1/settings`,
    ],
    rounds: 3,
  },
  {
    title: 'stopPipe, startPipe and resyncPipe in one operation, each with its service',
    document: `mutation { stopPipe(input: { ${ofService}, pipeId: "pipe-1" }) { pipe { state service {
      name } } } startPipe(input: { ${ofService}, pipeId: "pipe-1" }) { pipe { state service {
      name } } } resyncPipe(input: { ${ofService}, pipeId: "pipe-1" }) { pipe { state service
      { name } } } }`,
    calls: [
      `PATCH ${services}/service-1/pipes/pipe-1/state`,
      `GET ${services}/service-1`,
      `PATCH ${services}/service-1/pipes/pipe-1/state`,
      `PATCH ${services}/service-1/pipes/pipe-1/state`,
    ],
    rounds: 4,
  },
  {
    title: 'createDashboard, with alerts',
    document: `mutation { createDashboard(input: { name: "New", tiles: [{ name: "A tile" }] }) {
      dashboard { name tiles { name alerts { name } } alerts { name } } } }`,
    calls: ['POST /api/v2/dashboards', 'GET /api/v2/alerts'],
    rounds: 2,
  },
  {
    title: 'updateAlert with one field, and the dashboard',
    document: `mutation { updateAlert(input: { alertId: "alert-1", threshold: 5 }) { alert { threshold
      dashboard { name } } } }`,
    calls: [
      'GET /api/v2/alerts/alert-1',
      'PUT /api/v2/alerts/alert-1',
      'GET /api/v2/dashboards/dashboard-1',
    ],
    rounds: 3,
  },
];

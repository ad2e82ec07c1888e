import { world } from '../../sandbox/world/ids.ts';
import { nodeIdOf, read, wire } from '../support/documented-fields.ts';
import { activity, backup, costs } from './reports.ts';

/** The profiles of the live services. */
export const live = {
  managementProfile: 'clickhouse-cloud',
  observabilityProfile: 'hyperdx',
} as const;

/** The same, and ClickStack below Cloud's services. */
export const profiles = {
  live,
  'clickstack-cloud': {
    managementProfile: 'clickhouse-cloud',
    observabilityProfile: 'clickstack-cloud',
    observabilityUrl: undefined,
    clickstackService: {
      organizationId: world.management.main.organizationId,
      serviceId: world.management.main.services.production,
    },
  },
} as const;

type Members = Readonly<Record<string, unknown>>;

/** An upstream call: `METHOD /path`, what a stub answers it with, and the body of a write. */
export type Expected = readonly [line: string, answer?: unknown, body?: object];

/** What an operation of operations/ does. A row may build on what the rows above it have changed. */
export interface Row {
  /** That work in the demo; operations/variables.json has them. */
  readonly variables: Members;
  /** Exactly the calls that it makes, of the demo and of the stubs alike. */
  readonly calls: readonly Expected[];
  /** The whole answer where the stubs answer, without its nulls. Without it, other rows have its fields, and it runs in the demo alone. */
  readonly data?: Members;
  /** The profiles that have it, where the documented interfaces do not. */
  readonly profile?: keyof typeof profiles;
  /** For such a row: the calls that it makes without these profiles, too. */
  readonly callsElsewhere?: readonly string[];
  /** The codes of errors in the demo, some of whose services lack what is read. */
  readonly codes?: readonly string[];
}

/** A query or subscription, or, with its `input`, a mutation: variables, answer, calls. */
const query = (variables: Members, data: Members, ...calls: readonly Expected[]): Row => {
  return { variables, calls, data };
};
const inDemo = (variables: Members, ...calls: readonly Expected[]): Row => ({ variables, calls });
/** A row that needs the name of its field: the operation's, without the capital. */
type RowOf = (field: string) => Row;
/** A mutation: its input, the payload without `userErrors`, and the calls. */
const write = (input: Members, payload: Members, ...calls: readonly Expected[]): RowOf => {
  return (field) => query({ input }, { [field]: { ...payload, userErrors: [] } }, ...calls);
};

const { organizationId, services, pipes, keys } = world.management.main;
const { dashboards, alerts, webhooks, savedSearchId } = world.observability.main;
const organization = `/v1/organizations/${organizationId}`;
const serviceAt = (id: string): string => `${organization}/services/${id}`;
const [production, staging] = [serviceAt(services.production), serviceAt(services.staging)];
const ofProduction = { organizationId, serviceId: services.production };
const ofStaging = { organizationId, serviceId: services.staging };
const orders = { ...ofProduction, pipeId: pipes.orders };
const clickstream = { ...ofProduction, pipeId: pipes.clickstream };
const getOrders = `GET ${production}/pipes/${pipes.orders}`;
const patchOrders = `PATCH ${production}/pipes/${pipes.orders}/state`;

/** Records, as the stubs answer them and as operations/ shows them. */
const recordsIn = (form: typeof wire | typeof read) => ({
  production: form.service(services.production),
  staging: form.service(services.staging),
  failing: form.pipe(pipes.stagingClickstream, 'kafka', services.staging),
  invoices: form.pipe(pipes.invoices, 'objectStorage', services.staging),
  api: form.dashboard(dashboards.api),
  ingestion: form.dashboard(dashboards.ingestion),
  alert: form.alert(alerts.errorRate, dashboards.api),
  lag: form.alert(alerts.lag, dashboards.ingestion),
});
const [kept, shown] = [recordsIn(wire), recordsIn(read)];
const alarming = [kept.alert, kept.lag].map((each) => ({ ...each, state: 'ALERT' }));
const firing = { ...shown.alert, state: 'ALERT', phase: 'FIRING' };
const lagging = { ...shown.lag, state: 'ALERT', phase: 'FIRING' };

const listKeys: Expected = [`GET ${organization}/keys`, [wire.apiKey]];
const listCritical: Expected = [`GET ${organization}/notifications?limit=250&severity=critical`];
const getOrganization: Expected = [`GET ${organization}`, wire.organization];
const listOrganizations: Expected = ['GET /v1/organizations', [wire.organization]];
const listServices: Expected = [`GET ${organization}/services`, [kept.production]];
const getStaging: Expected = [`GET ${staging}`, kept.staging];
const getApi: Expected = [`GET /api/v2/dashboards/${dashboards.api}`, kept.api];
const getAlert: Expected = [`GET /api/v2/alerts/${alerts.errorRate}`, kept.alert];
const listAlerts: Expected = ['GET /api/v2/alerts', alarming];
const listDashboards: Expected = ['GET /api/v2/dashboards', [kept.api, kept.ingestion]];
const ofEach = (path: string) =>
  Object.values(services).map((id): Expected => [`GET ${serviceAt(id)}/${path}`]);
/** The reads of all services and of the pipes of each. */
const fleet = [listServices, ...ofEach('pipes')];

const ofOrganization = { organizationId };
const ofApi = { dashboardId: dashboards.api };
const organizationNodeId = nodeIdOf('Organization', organizationId);
const apiNodeId = nodeIdOf('Dashboard', dashboards.api);
const productionName = { id: services.production, name: 'production' };
const failed = { state: 'Failed', phase: 'FAILED', availableCommands: ['START'] };
const withAlerts = (board: Members, ...all: readonly Members[]) => ({ ...board, alerts: all });
/** What an alert shows of its dashboard and its tile. */
const placeOf = (id: string) => ({
  dashboard: { id, nodeId: nodeIdOf('Dashboard', id), name: 'API health' },
  tile: {
    ...{ nodeId: nodeIdOf('Tile', id, 'api-errors'), id: 'api-errors' },
    ...{ dashboardId: id, name: 'Error rate' },
  },
});
const placeOfApi = placeOf(dashboards.api);

/** Below `node` some fields have other names, since types differ. */
const pipeAsNode = ({ phase, createdAt, updatedAt, source, ...rest }: Members) => ({
  ...{ __typename: 'Pipe', ...rest, pipePhase: phase, pipeSource: source },
  ...{ pipeCreatedAt: createdAt, pipeUpdatedAt: updatedAt },
});
const serviceAsNode = ({ phase, availableCommands, ...rest }: Members) => ({
  ...{ __typename: 'Service', ...rest, servicePhase: phase },
  serviceAvailableCommands: availableCommands,
});

const command = (name: string, pipeId: string, serviceId: string): RowOf =>
  write({ organizationId, serviceId, pipeId }, { pipe: read.pipe(pipeId, 'kafka', serviceId) }, [
    `PATCH ${serviceAt(serviceId)}/pipes/${pipeId}/state`,
    wire.pipe(pipeId, 'kafka', serviceId),
    { command: name },
  ]);

const stopping = { id: services.production, state: 'stopping' };
const productionNode = {
  ...{ id: services.production, organizationId },
  nodeId: nodeIdOf('Service', organizationId, services.production),
};
const serviceCommand = (name: string): RowOf =>
  write(
    ofProduction,
    {
      service: {
        ...{ ...productionNode, ...stopping, phase: 'CHANGING', availableCommands: [] },
        name: 'production',
      },
    },
    [`PATCH ${production}/state`, stopping, { command: name }],
    // What the answer holds is newer.
    [`GET ${production}`, { ...productionName, state: 'stopped' }],
  );
const listed = (type: string, path: string, { id, ...record }: Members): RowOf => {
  const shown = { id, nodeId: nodeIdOf(type, String(id)), ...record };
  return (field) => query({}, { [field]: [shown] }, [`GET /api/v2/${path}`, [{ id, ...record }]]);
};
const days = { fromDate: '2026-11-01', toDate: '2026-11-20' };
const getUsageCost: Expected = [
  `GET ${organization}/usageCost?from_date=${days.fromDate}&to_date=${days.toDate}`,
  costs.kept,
];
const listBackups: Expected = [`GET ${production}/backups`, backup.kept];
const organizationNode = { id: organizationId, nodeId: organizationNodeId };
const ordersNode = {
  ...{ organizationId, id: pipes.orders },
  nodeId: nodeIdOf('Pipe', organizationId, services.production, pipes.orders),
};
const cloudPipe = `${production}/clickpipes/${pipes.clickstream}`;

const countOf = (where: string, more = ''): string =>
  `{"type": "time", "dataSource": "events", "aggFn": "count", "where": "${where}"${more}}`;
type Given = 'signups' | 'source' | 'contacts' | 'board' | 'renamed';
/** Inputs that are sent as they are. */
const { signups, source, contacts, board, renamed }: Readonly<Record<Given, Members>> =
  JSON.parse(`{
  "signups": {
    "name": "signups", "destination": {
      "database": "web", "table": "signups", "managedTable": true,
      "tableDefinition": {"sortingKey": ["signed_up_at"]},
      "columns": [{"name": "user_id", "type": "UUID"}, {"name": "signed_up_at", "type": "DateTime"}]
    },
    "fieldMappings": [
      {"sourceField": "user", "destinationField": "user_id"},
      {"sourceField": "ts", "destinationField": "signed_up_at"}
    ],
    "scaling": {"replicas": 2, "replicaMemoryGb": 0.5}
  },
  "source": {"kafka": {
    "brokers": "broker-1.kafka-staging.northwind.example:9092",
    "topics": "web.signups,app.signups", "consumerGroup": "northwind-signups",
    "credentials": {"username": "signups-reader", "password": "not-a-real-password"}
  }},
  "contacts": {"postgres": {"settings": {"syncIntervalSeconds": 900}, "tableMappingsToAdd": [
    {"sourceSchemaName": "sales", "sourceTable": "contacts", "targetTable": "sales_contacts"}
  ]}},
  "board": {"name": "Signups in Zürich", "tiles": [
    {"name": "Per hour", "x": 0, "y": 0, "w": 8, "h": 3, "series": [
      ${countOf('event:signup', ', "groupBy": ["country"]')}]},
    {"name": "Share of all visits", "x": 8, "y": 0, "w": 4, "h": 3, "asRatio": true, "series": [
      ${countOf('event:signup')}, ${countOf('event:visit')}]}
  ], "tags": ["growth"]},
  "renamed": {"name": "Northwind Data", "privateEndpoints": {
    "add": [{"id": "vpce-03c8e1f5a7b92d640", "description": "Batch network, Zürich"}],
    "remove": [{"id": "vpce-0f92b6a3c1d74e856", "description": "Reporting network, Dublin"}]
  }}
}`);
const [name, expiry] = ['Nightly report', '2027-11-21T00:00:00Z'];
const report = { name, expiresAt: expiry };
const sentReport = { name, expireAt: expiry };
const ipAccessList = [{ source: '203.0.113.8', description: 'The gateway' }];
const madeKey = { keyId: 'the id', keySecret: 'the secret' };
const team = { key: 'team', value: 'ingestion' };
const renamedService = {
  ...{ name: 'production Zürich', ipAccessList: { add: ipAccessList } },
  tags: { add: [team], remove: [{ key: 'owner', value: 'data-platform' }] },
  releaseChannel: 'fast',
  privateEndpointIds: { add: ['vpce-0f92b6a3c1d74e856'] },
  endpoints: [{ protocol: 'mysql', enabled: true }],
  ...{ transparentDataEncryptionKeyId: 'tde-key-2', enableCoreDumps: false },
};
const changedService = { name: renamedService.name, releaseChannel: 'fast', tags: [team] };
const unknownPhase = { phase: 'UNKNOWN', availableCommands: ['START', 'STOP'] };
const person = {
  ...{ name: 'Ada', email: 'ada@northwind.example', joinedAt: '2026-01-02T03:04:05Z' },
  assignedRoles: [{ roleId: 'r1', roleName: 'Admin', roleType: 'system' }],
};
const shownMember = { id: 'u1', ...person };
const quota = {
  ...{ name: 'Services', description: 'The most services.', scope: 'organization' },
  ...{ value: 20, usage: 4 },
};
const limits = {
  ...{ autoscalingMode: 'vertical', minReplicaMemoryGb: 16, maxReplicaMemoryGb: 120 },
  ...{ minReplicas: 3, maxReplicas: 3, idleScaling: true, idleTimeoutMinutes: 15 },
};
const sale = {
  entries: [
    {
      ...{ ...limits, id: 'e1', name: 'Sale', weekdays: [5, 6], startHourUtc: 20, endHourUtc: 4 },
      isActiveNow: true,
    },
  ],
  ...{ baseConfig: limits, activeEntryId: 'e1' },
};
const alarm = { type: 'clickpipe_failed', severity: 'critical' };
const connection = {
  ...{ id: 'rpe-1', description: 'Brokers', status: 'Ready', type: 'MSK_MULTI_VPC' },
  ...{ endpointId: 'vpce-1', dnsNames: ['a.example'], mskAuthentication: 'SASL_IAM' },
};
const nightly = {
  backupPeriodInHours: 24,
  backupRetentionPeriodInHours: 72,
  backupStartTime: '01:00',
};
const wide = { replicaCpuMillicores: 4000, replicaMemoryGb: 16 };
const scaling = { numReplicas: 5, idleScaling: true, idleTimeoutMinutes: 30 };
const onTile = { dashboardId: dashboards.api, tileId: 'api-errors' };
const channel = { type: 'webhook', webhookId: webhooks.oncall };
const watched = { threshold: 5, interval: '5m', ...onTile, channel };
const failedPayments = { ...watched, name: 'Failed payments' };
/** An alert that all backends send alike, since it is sent back. */
const named = {
  name: 'API error rate',
  message: 'More than 2 % of requests fail. Runbook: https://runbooks.northwind.example/api-errors',
};
const stored = { threshold: 0.02, dashboard: dashboards.api, tileId: 'api-errors' };
const onTiles = { thresholdType: 'above', source: 'tile' };

const documented: Readonly<Record<string, Row | RowOf>> = {
  LookAround: inDemo({}, listOrganizations, listServices, listDashboards, listAlerts),
  ServicesWithPipes: inDemo({ organizationId }, ...fleet),
  AllPipes: inDemo({ organizationId }, ...fleet),
  BoardWithAlerts: inDemo({ dashboardId: dashboards.api }, getApi, listAlerts),
  BoardInParts: inDemo({ dashboardId: dashboards.api }, getApi, listAlerts),
  // The last call is for an alert without a name.
  AlertsLive: inDemo({}, listAlerts, [`GET /api/v2/dashboards/${dashboards.checkout}`]),
  NewDashboard: inDemo({}, ['POST /api/v2/dashboards']),
  NewPipe: inDemo(ofStaging, [`POST ${staging}/pipes`]),
  PipeNow: inDemo(orders, [getOrders]),
  StopPipeNow: inDemo(orders, [patchOrders, undefined, { command: 'stop' }]),
  StartPipeNow: inDemo(orders, [patchOrders, undefined, { command: 'start' }]),
  Gateway: inDemo({}),
  Organizations: query(
    {},
    { organizations: [{ ...read.organization, services: [shown.production] }] },
    listOrganizations,
    listServices,
  ),
  Organization: query(
    ofOrganization,
    {
      organization: {
        ...{ ...read.organization, services: [shown.production], serviceCount: 1 },
        invitations: [read.invitation],
      },
    },
    getOrganization,
    listServices,
    [`GET ${organization}/invitations`, [wire.invitation]],
  ),
  Service: query(
    ofStaging,
    {
      service: {
        ...{ ...shown.staging, pipes: [shown.failing, shown.invoices] },
        organization: { ...organizationNode, name: 'Northwind' },
        backupConfiguration: read.backupConfiguration,
      },
    },
    getStaging,
    getOrganization,
    [`GET ${staging}/pipes`, [kept.failing, kept.invoices]],
    [`GET ${staging}/backupConfiguration`, wire.backupConfiguration],
  ),
  Pipe: query(
    orders,
    {
      pipe: {
        ...read.pipe(pipes.orders, 'postgres'),
        service: { ...productionNode, name: 'production' },
      },
    },
    [getOrders, wire.pipe(pipes.orders, 'postgres')],
    [`GET ${production}`, kept.production],
  ),
  Pipes: query(
    { ...ofStaging, orderBy: { field: 'PHASE' } },
    { pipes: [{ ...shown.failing, ...failed }, shown.invoices] },
    [`GET ${staging}/pipes`, [kept.invoices, { ...kept.failing, state: 'Failed' }]],
  ),
  Dashboards: query(
    {},
    { dashboards: [withAlerts(shown.api, firing), withAlerts(shown.ingestion, lagging)] },
    listDashboards,
    listAlerts,
  ),
  Dashboard: query(ofApi, { dashboard: withAlerts(shown.api, firing) }, getApi, listAlerts),
  Alerts: query(
    { filter: { stateIn: ['ALERT'] } },
    {
      alerts: [
        { ...firing, ...placeOfApi },
        { ...lagging, ...placeOf(dashboards.ingestion) },
      ],
    },
    listAlerts,
    listDashboards,
  ),
  Alert: query(
    { alertId: alerts.errorRate },
    { alert: { ...shown.alert, ...placeOfApi } },
    getAlert,
    getApi,
  ),
  Node: query(
    { nodeId: nodeIdOf('Pipe', organizationId, services.production, pipes.orders) },
    { node: pipeAsNode(read.pipe(pipes.orders, 'kinesis')) },
    [getOrders, wire.pipe(pipes.orders, 'kinesis')],
  ),
  Nodes: query(
    { nodeIds: [apiNodeId, nodeIdOf('Service', organizationId, services.staging)] },
    { nodes: [{ __typename: 'Dashboard', ...shown.api }, serviceAsNode(shown.staging)] },
    getApi,
    getStaging,
  ),
  LiveOrganization: inDemo(ofOrganization, getOrganization),
  LiveService: inDemo(ofStaging, getStaging),
  LivePipes: inDemo({ ...ofStaging, filter: { phaseIn: ['FAILED', 'STOPPED'] } }, [
    `GET ${staging}/pipes`,
  ]),
  LivePipe: inDemo(orders, [getOrders]),
  LiveDashboard: inDemo(ofApi, getApi),
  LiveAlerts: inDemo({ filter: { stateIn: ['ALERT'] } }, ['GET /api/v2/alerts']),
  LiveAlert: inDemo({ alertId: alerts.errorRate }, getAlert),
  UpdateOrganization: write(
    { organizationId, ...renamed },
    { organization: read.organization },
    [`PATCH ${organization}`, wire.organization, renamed],
    getOrganization,
  ),
  CreateApiKey: write(
    {
      ...{ organizationId, ...report, roles: ['QUERY_ENDPOINTS'], ipAccessList },
    },
    { apiKey: read.apiKey, ...madeKey },
    [
      `POST ${organization}/keys`,
      { key: wire.apiKey, ...madeKey },
      { ...sentReport, roles: ['query_endpoints'], ipAccessList },
    ],
  ),
  UpdateServiceScaling: write(
    { ...ofProduction, ...scaling },
    { service: shown.production },
    [`PATCH ${production}/scaling`, kept.production, scaling],
    [`GET ${production}`, kept.production],
  ),
  UpdateServicePassword: write(ofStaging, { password: 'generated' }, [
    `PATCH ${staging}/password`,
    { password: 'generated' },
    {},
  ]),
  CreatePipe: write(
    { ...ofStaging, ...signups, source, validateSamples: true },
    { pipe: shown.invoices },
    [
      `POST ${staging}/pipes`,
      kept.invoices,
      { ...signups, source: { ...source, validateSamples: true } },
    ],
  ),
  UpdatePipe: write(
    { organizationId, serviceId: services.trial, pipeId: pipes.crm, source: contacts },
    { pipe: read.pipe(pipes.crm, 'postgres', services.trial) },
    [
      `PATCH ${serviceAt(services.trial)}/pipes/${pipes.crm}`,
      wire.pipe(pipes.crm, 'postgres', services.trial),
      { source: contacts },
    ],
  ),
  StopPipe: command('stop', pipes.clickstream, services.production),
  StartPipe: command('start', pipes.stagingClickstream, services.staging),
  ResyncPipe: command('resync', pipes.orders, services.production),
  CreateDashboard: write(board, { dashboard: shown.api }, [
    'POST /api/v2/dashboards',
    kept.api,
    board,
  ]),
  DeleteDashboard: write(
    { dashboardId: dashboards.checkout },
    { deletedDashboardId: dashboards.checkout },
    [`DELETE /api/v2/dashboards/${dashboards.checkout}`, {}],
  ),
  UpdateAlert: write(
    { alertId: alerts.errorRate, threshold: 0.05, interval: '15m' },
    { alert: shown.alert },
    [getAlert[0], { ...named, ...onTiles, ...stored, channel }],
    [
      `PUT /api/v2/alerts/${alerts.errorRate}`,
      kept.alert,
      { threshold: 0.05, interval: '15m', ...onTiles, ...onTile, channel, ...named },
    ],
  ),
};

const ofProfiles: Readonly<Record<string, Row | RowOf>> = {
  Attention: {
    ...inDemo(
      { organizationId },
      ...[listAlerts, listServices, ...ofEach('clickpipes'), listKeys, listCritical],
      ...ofEach('backups'),
    ),
    callsElsewhere: [listAlerts, ...fleet].map(([line]) => line),
  },
  ScalePipe: write(
    { ...clickstream, replicas: 4 },
    {
      pipe: {
        ...read.pipe(pipes.clickstream),
        scaling: { replicas: 4 },
      },
    },
    [
      `PATCH ${cloudPipe}/scaling`,
      { ...wire.pipe(pipes.clickstream), scaling: { replicas: 4 } },
      { replicas: 4 },
    ],
  ),
  DeletePipe: write(clickstream, { deletedPipeId: pipes.clickstream }, [`DELETE ${cloudPipe}`, {}]),
  OrganizationApiKeys: query(
    ofOrganization,
    { organization: { ...organizationNode, apiKeys: [read.apiKey] } },
    listKeys,
  ),
  OrganizationMembers: query(
    ofOrganization,
    { organization: { ...organizationNode, members: [shownMember] } },
    [`GET ${organization}/members`, [{ ...person, userId: 'u1', role: 'admin' }, person]],
  ),
  OrganizationQuotas: query(
    ofOrganization,
    {
      organization: {
        ...organizationNode,
        quotas: [{ ...quota, code: 'services', isAdjustable: false }],
      },
    },
    [`GET ${organization}/quotas`, [{ ...quota, quotaCode: 'services', adjustable: false }]],
  ),
  WhoAmI: query(
    {},
    {
      whoAmI: {
        ...{ actorType: 'apiKey', name: 'ci', keyId: keys.developer, organizationId },
        organization: { ...organizationNode, name: 'Northwind' },
      },
    },
    ['GET /v1/whoami', { actorType: 'apiKey', name: 'ci', keyId: keys.developer, organizationId }],
    getOrganization,
  ),
  OrganizationCreditBalances: query(
    ofOrganization,
    {
      organization: {
        ...organizationNode,
        creditBalances: {
          totalRemainingChc: 112.5,
          balances: [
            {
              ...{ id: 'c1', type: 'trial', remainingChc: 112.5, grantedChc: 300, spentChc: 187.5 },
              ...{ startsAt: '2026-01-15T00:00:00Z', expiresAt: '2027-01-15T00:00:00Z' },
            },
          ],
        },
      },
    },
    [
      `GET ${organization}/creditBalances`,
      {
        totalRemainingCredits: 112.5,
        balances: [
          {
            ...{ id: 'c1', type: 'trial', remainingCredits: 112.5, totalAmount: 300 },
            ...{ amountSpent: 187.5, startDate: '2026-01-15T00:00:00Z' },
            expirationDate: '2027-01-15T00:00:00Z',
          },
        ],
      },
    ],
  ),
  OrganizationNotifications: query(
    { ...ofOrganization, severityIn: ['critical'], first: 1 },
    {
      organization: {
        ...organizationNode,
        notifications: {
          items: [{ ...alarm, json: JSON.stringify(alarm) }],
          hasMore: true,
        },
      },
    },
    [`GET ${organization}/notifications?limit=250&severity=critical`, [alarm, alarm]],
  ),
  UpdateApiKey: write(
    { organizationId, apiKeyId: keys.developer, ...report, ipAccessList },
    {
      apiKey: {
        ...{ id: keys.developer, nodeId: nodeIdOf('ApiKey', organizationId, keys.developer) },
        ...{ ...report, state: 'enabled', ipAccessList },
      },
    },
    [
      `PATCH ${organization}/keys/${keys.developer}`,
      { id: keys.developer, ...sentReport, ipAccessList },
      { ...sentReport, ipAccessList },
    ],
    [`GET ${organization}/keys`, [{ id: keys.developer, state: 'enabled' }]],
  ),
  OrganizationUsageCost: query(
    { ...ofOrganization, ...days },
    { organization: { ...organizationNode, usageCost: costs.ofOrganization } },
    getUsageCost,
  ),
  ServiceUsageCost: query(
    { ...ofProduction, ...days },
    { service: { ...productionNode, usageCost: costs.ofProduction } },
    getUsageCost,
  ),
  PipeUsageCost: query(
    { ...orders, ...days },
    { pipe: { ...ordersNode, usageCost: costs.ofOrders } },
    getUsageCost,
  ),
  OrganizationActivities: query(
    { ...ofOrganization, from: '2026-01-01T00:00:00Z', typeIn: ['KEY_UPDATE', 'user_login'] },
    { organization: { ...organizationNode, activities: [activity.shown] } },
    [`GET ${organization}/activities?from_date=2026-01-01T00%3A00%3A00Z`, activity.kept],
  ),
  ServiceBackups: query(
    { ...ofProduction, first: 1, statusIn: ['Done'] },
    { service: { ...productionNode, backups: [backup.shown] } },
    listBackups,
  ),
  ServiceLastBackup: query(
    ofProduction,
    { service: { ...productionNode, lastBackup: backup.shown } },
    listBackups,
  ),
  DeleteApiKey: write(
    { organizationId, apiKeyId: keys.developer },
    { deletedApiKeyId: keys.developer },
    [`DELETE ${organization}/keys/${keys.developer}`, {}],
  ),
  UpdateService: write(
    { ...ofProduction, ...renamedService },
    { service: { ...productionNode, ...changedService, ...unknownPhase, region: 'eu-central-1' } },
    [`PATCH ${production}`, { id: services.production, ...changedService }, renamedService],
    [`GET ${production}`, { id: services.production, region: 'eu-central-1' }],
  ),
  ServiceScalingSchedule: query(
    ofProduction,
    { service: { ...productionNode, scalingSchedule: sale } },
    [`GET ${production}/scalingSchedule`, sale],
  ),
  ServiceReversePrivateEndpoints: query(
    ofProduction,
    { service: { ...productionNode, reversePrivateEndpoints: [connection] } },
    [`GET ${production}/clickpipesReversePrivateEndpoints`, [connection]],
  ),
  ServiceUpgradeWindow: query(
    ofProduction,
    {
      service: {
        ...productionNode,
        upgradeWindow: { weekday: 0, startHourUtc: 6, durationInHours: 6 },
      },
    },
    [`GET ${production}/upgradeWindow`, { weekday: 0, startHourUtc: 6, duration: 6 }],
  ),
  ServiceCdcScaling: query(ofProduction, { service: { ...productionNode, cdcScaling: wide } }, [
    `GET ${production}/clickpipesCdcScaling`,
    { ...wide, replicaCpuMillicores: '4' },
  ]),
  UpdateCdcScaling: write({ ...ofProduction, ...wide }, { cdcScaling: wide }, [
    `PATCH ${production}/clickpipesCdcScaling`,
    { ...wide, replicaMemoryGb: '16Gi' },
    wide,
  ]),
  UpdateBackupConfiguration: write(
    { ...ofProduction, ...nightly },
    { backupConfiguration: nightly },
    [`PATCH ${production}/backupConfiguration`, nightly, nightly],
  ),
  StopService: serviceCommand('stop'),
  StartService: serviceCommand('start'),
  DataSources: listed('DataSource', 'sources', { id: 's1', name: 'Logs', kind: 'log' }),
  Webhooks: listed('Webhook', 'webhooks', { id: 'w1', name: 'On call', service: 'generic' }),
  SavedSearches: listed('SavedSearch', 'saved-searches', {
    id: 's1',
    name: 'Slow',
    sourceId: 's2',
  }),
  AlertWithLinks: {
    ...query(
      { alertId: alerts.search },
      {
        alert: {
          ...{ id: alerts.search, nodeId: nodeIdOf('Alert', alerts.search) },
          ...{ name: 'Out of memory', displayName: 'Out of memory' },
          ...{ phase: 'UNKNOWN', silenced: false, savedSearchId },
          channel: {
            ...channel,
            webhook: {
              ...{ id: webhooks.oncall, nodeId: nodeIdOf('Webhook', webhooks.oncall) },
              name: 'On call',
            },
          },
          savedSearch: {
            ...{ id: savedSearchId, nodeId: nodeIdOf('SavedSearch', savedSearchId) },
            ...{ name: 'Slow', sourceId: 's1' },
            source: { id: 's1', nodeId: nodeIdOf('DataSource', 's1'), name: 'Logs' },
          },
        },
      },
      [
        `GET /api/v2/alerts/${alerts.search}`,
        { id: alerts.search, name: 'Out of memory', savedSearchId, channel },
      ],
      ['GET /api/v2/webhooks', [{ id: webhooks.oncall, name: 'On call' }]],
      ['GET /api/v2/saved-searches', [{ id: savedSearchId, name: 'Slow', sourceId: 's1' }]],
      ['GET /api/v2/sources', [{ id: 's1', name: 'Logs' }]],
    ),
    // The links are followed only once the alert has been read.
    callsElsewhere: [`GET /api/v2/alerts/${alerts.search}`],
  },
  UpdateDashboard: write(
    {
      ...{ dashboardId: dashboards.api, name: 'API health, Europe' },
      ...{ tags: ['api', 'europe'], mayResetTiles: true },
    },
    { dashboard: { id: dashboards.api, nodeId: apiNodeId, name: 'API', tiles: [], tags: ['api'] } },
    [getApi[0], { id: dashboards.api, tiles: [] }],
    ['GET /api/v2/alerts', []],
    [
      `PUT /api/v2/dashboards/${dashboards.api}`,
      { id: dashboards.api, name: 'API', tiles: [], tags: ['api'] },
    ],
  ),
  ValidateDashboard: write(
    board,
    { isValid: false, problems: [{ path: 'tiles.0.w', message: 'Required' }] },
    [
      'POST /api/v2/dashboards/validate',
      { valid: false, errors: [{ path: 'tiles.0.w', message: 'Required' }], normalized: null },
      board,
    ],
  ),
  CreateAlert: write(
    { ...failedPayments, source: 'TILE', thresholdType: 'ABOVE' },
    {
      alert: {
        ...{ id: alerts.errorRate, nodeId: nodeIdOf('Alert', alerts.errorRate) },
        displayName: failedPayments.name,
        ...{ ...failedPayments, source: 'TILE', state: 'OK', phase: 'OK', silenced: false },
        note: 'Read',
      },
    },
    [
      'POST /api/v2/alerts',
      { id: alerts.errorRate, ...failedPayments, source: 'tile', state: 'OK' },
      {
        ...{ threshold: 5, thresholdType: 'above', interval: '5m', source: 'tile' },
        ...failedPayments,
      },
    ],
    [getAlert[0], { id: alerts.errorRate, note: 'Read' }],
  ),
  DeleteAlert: write({ alertId: alerts.errorRate }, { deletedAlertId: alerts.errorRate }, [
    `DELETE /api/v2/alerts/${alerts.errorRate}`,
    {},
  ]),
  WakeService: serviceCommand('awake'),
};

const inStack = (resource: string, field: string, record: Members, shown: Members = record) =>
  query(ofProduction, { service: { ...productionNode, [field]: [shown] } }, [
    `GET ${production}/clickstack/${resource}`,
    [record],
  ]);
const stackNode = (type: string, id: string) => ({
  nodeId: nodeIdOf(type, organizationId, services.production, id),
});

const nameless = { dashboardId: dashboards.checkout, tileId: 't' };

/** Rows of the profile `clickstack-cloud`. */
const ofOneTree: Readonly<Record<string, Row>> = {
  LookAroundInServices: {
    ...inDemo(
      {},
      ...[listOrganizations, listServices, ...ofEach('clickstack/dashboards')],
      ...[production, staging].map((at): Expected => [`GET ${at}/clickstack/alerts`]),
    ),
    callsElsewhere: [listOrganizations, listServices].map(([line]) => line),
    codes: ['OPERATION_UNAVAILABLE'],
  },
  DashboardService: query(
    { dashboardId: dashboards.api },
    {
      dashboard: {
        ...{ id: dashboards.api, ...stackNode('Dashboard', dashboards.api) },
        service: { ...shown.production, ...unknownPhase },
      },
    },
    [`GET ${production}`, kept.production],
  ),
  ServiceDashboards: inStack(
    'dashboards',
    'dashboards',
    { id: dashboards.api, name: 'API', tiles: [] },
    { id: dashboards.api, name: 'API', tiles: [], ...stackNode('Dashboard', dashboards.api) },
  ),
  // An alert without a name is called as its tile.
  ServiceAlerts: query(
    ofProduction,
    {
      service: {
        ...productionNode,
        alerts: [
          {
            ...{ id: alerts.errorRate, ...stackNode('Alert', alerts.errorRate), ...nameless },
            ...{ displayName: 'Orders', state: 'OK', phase: 'OK', silenced: false },
          },
        ],
      },
    },
    [`GET ${production}/clickstack/alerts`, [{ id: alerts.errorRate, state: 'OK', ...nameless }]],
    [
      `GET ${production}/clickstack/dashboards/${dashboards.checkout}`,
      { id: dashboards.checkout, tiles: [{ id: 't', name: 'Orders' }] },
    ],
  ),
  ServiceSavedSearches: inStack(
    'saved-searches',
    'savedSearches',
    { id: 's1', name: 'Slow' },
    {
      ...{ id: 's1', name: 'Slow' },
      ...stackNode('SavedSearch', 's1'),
    },
  ),
  ServiceDataSources: inStack(
    'sources',
    'dataSources',
    { id: 's1', name: 'Logs' },
    {
      ...{ id: 's1', name: 'Logs' },
      ...stackNode('DataSource', 's1'),
    },
  ),
  ServiceWebhooks: inStack(
    'webhooks',
    'webhooks',
    { id: 'w1', name: 'On call' },
    {
      ...{ id: 'w1', name: 'On call' },
      ...stackNode('Webhook', 'w1'),
    },
  ),
};

const withFields = (own: Readonly<Record<string, Row | RowOf>>, more: Partial<Row> = {}) =>
  Object.entries(own).map(([name, row]) => {
    const field = name.replace(/^./, (letter) => letter.toLowerCase());
    return [name, { ...(typeof row === 'function' ? row(field) : row), ...more }] as const;
  });

/** A row for each operation of operations/, by its name. */
export const rows: Readonly<Record<string, Row>> = Object.fromEntries([
  ...withFields(documented),
  ...withFields(ofProfiles, { profile: 'live' }),
  ...withFields(ofOneTree, { profile: 'clickstack-cloud' }),
]);

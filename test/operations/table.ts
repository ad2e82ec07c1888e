import { world } from '../../sandbox/world/ids.ts';
import { read, wire } from './records.ts';

/** An upstream call: `METHOD /path`, what a stub answers it with, and the body of a write. */
export type Expected = readonly [line: string, answer?: unknown, body?: object];

/** What an operation of operations/ does. A row may build on what the rows above it have changed. */
export interface Row {
  /** That work in the demo; operations/variables.json has them. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Exactly the calls that it makes, of the demo and of the stubs alike. */
  readonly calls: readonly Expected[];
  /** The whole answer where the stubs answer, without its nulls. Screens whose fields other rows have run in the demo alone. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Whether only the profiles of the live services have it. */
  readonly live?: true;
}

const { organizationId, services, pipes, keys } = world.management.main;
const { dashboards, alerts } = world.observability.main;
const organization = `/v1/organizations/${organizationId}`;
const service = (id: string): string => `${organization}/services/${id}`;
const pipe = (serviceId: string, id: string): string => `${service(serviceId)}/pipes/${id}`;
const nodeIdOf = (...parts: readonly string[]): string =>
  Buffer.from(parts.join(':')).toString('base64url');

const production = { organizationId, serviceId: services.production };
const staging = { organizationId, serviceId: services.staging };
const orders = { ...production, pipeId: pipes.orders };
const filter = { state: 'ALERT' };
const userErrors: readonly unknown[] = [];

/** The reads of all services and of the pipes of each. */
const fleet: readonly Expected[] = [
  [`GET ${organization}/services`],
  ...Object.values(services).map((id): Expected => [`GET ${service(id)}/pipes`]),
];
const alert = wire.alert(alerts.errorRate, dashboards.api);
const alertOf = (id: string, dashboard: string) => ({
  ...wire.alert(id, dashboard),
  state: 'ALERT',
});
const firing = { ...read.alert(alerts.errorRate, dashboards.api), state: 'ALERT', phase: 'FIRING' };
const lagging = {
  ...read.alert(alerts.lag, dashboards.ingestion),
  state: 'ALERT',
  phase: 'FIRING',
};
const bothAlerts = [
  alertOf(alerts.errorRate, dashboards.api),
  alertOf(alerts.lag, dashboards.ingestion),
];
const bothDashboards = [wire.dashboard(dashboards.api), wire.dashboard(dashboards.ingestion)];
/** What an alert shows of its dashboard and its tile. */
const placeOf = (id: string) => ({
  dashboard: { id, nodeId: nodeIdOf('Dashboard', id), name: 'API health' },
  tile: { id: 'api-errors', dashboardId: id, name: 'Error rate' },
});

/** Below `node` some fields have other names, since types differ. */
const asNode = (
  type: 'Pipe' | 'Service',
  { phase, createdAt, updatedAt, source, ...rest }: Readonly<Record<string, unknown>>,
) =>
  type === 'Service'
    ? { __typename: type, ...rest, createdAt, servicePhase: phase }
    : {
        ...{ __typename: type, ...rest, pipePhase: phase, pipeSource: source },
        ...{ pipeCreatedAt: createdAt, pipeUpdatedAt: updatedAt },
      };

const command = (name: string, pipeId: string, serviceId: string): Row => ({
  variables: { input: { organizationId, serviceId, pipeId } },
  calls: [
    [
      `PATCH ${pipe(serviceId, pipeId)}/state`,
      { ...wire.pipe(pipeId), serviceId },
      { command: name },
    ],
  ],
  data: { [`${name}Pipe`]: { pipe: read.pipe(pipeId, 'kafka', serviceId), userErrors } },
});

const cloudPipe = pipe(services.production, pipes.clickstream).replace('/pipes/', '/clickpipes/');

const serviceCommand = (name: string, wireName: string): Row => ({
  live: true,
  variables: { input: production },
  calls: [
    [
      `PATCH ${service(services.production)}/state`,
      { id: services.production, state: 'stopping' },
      { command: wireName },
    ],
  ],
  data: {
    [`${name}Service`]: {
      service: {
        id: services.production,
        nodeId: nodeIdOf('Service', organizationId, services.production),
        organizationId,
        state: 'stopping',
        phase: 'CHANGING',
      },
      userErrors,
    },
  },
});

const signups = {
  name: 'signups',
  destination: {
    database: 'web',
    table: 'signups',
    managedTable: true,
    tableDefinition: { sortingKey: ['signed_up_at'] },
    columns: [
      { name: 'user_id', type: 'UUID' },
      { name: 'signed_up_at', type: 'DateTime' },
    ],
  },
  fieldMappings: [
    { sourceField: 'user', destinationField: 'user_id' },
    { sourceField: 'ts', destinationField: 'signed_up_at' },
  ],
  scaling: { replicas: 2, replicaMemoryGb: 0.5 },
};
const signupsSource = {
  kafka: {
    brokers: 'broker-1.kafka-staging.northwind.example:9092',
    topics: 'web.signups,app.signups',
    consumerGroup: 'northwind-signups',
    credentials: { username: 'signups-reader', password: 'not-a-real-password' },
  },
};
const contacts = {
  postgres: {
    settings: { syncIntervalSeconds: 900 },
    tableMappingsToAdd: [
      { sourceSchemaName: 'sales', sourceTable: 'contacts', targetTable: 'sales_contacts' },
    ],
  },
};
const countOf = (where: string) => ({
  type: 'time',
  dataSource: 'events',
  aggFn: 'count',
  where,
});
const board = {
  name: 'Signups in Zürich',
  tiles: [
    {
      name: 'Per hour',
      ...{ x: 0, y: 0, w: 8, h: 3 },
      series: [{ ...countOf('event:signup'), groupBy: ['country'] }],
    },
    {
      name: 'Share of all visits',
      ...{ x: 8, y: 0, w: 4, h: 3 },
      asRatio: true,
      series: [countOf('event:signup'), countOf('event:visit')],
    },
  ],
  tags: ['growth'],
};
const privateEndpoints = {
  add: [{ id: 'vpce-03c8e1f5a7b92d640', description: 'Batch network, Zürich' }],
  remove: [{ id: 'vpce-0f92b6a3c1d74e856', description: 'Reporting network, Dublin' }],
};
const scaling = { numReplicas: 5, idleScaling: true, idleTimeoutMinutes: 30 };
const onTile = { dashboardId: dashboards.api, tileId: 'api-errors' };
const channel = { type: 'webhook', webhookId: world.observability.main.webhooks.oncall };
const failedPayments = {
  threshold: 5,
  interval: '5m',
  ...onTile,
  channel,
  name: 'Failed payments',
};
/** An alert that all backends send alike, since it is sent back. */
const named = {
  name: 'API error rate',
  message: 'More than 2 % of requests fail. Runbook: https://runbooks.northwind.example/api-errors',
};

/** A row for each operation of operations/, by its name. */
export const rows: Readonly<Record<string, Row>> = {
  LookAround: {
    variables: {},
    calls: [
      ['GET /v1/organizations', [wire.organization]],
      [`GET ${organization}/services`, [wire.service(services.production)]],
      ['GET /api/v2/dashboards', [wire.dashboard(dashboards.api)]],
      ['GET /api/v2/alerts', [{ ...alert, source: 'tile' }]],
    ],
    data: {
      organizations: [
        {
          id: organizationId,
          name: 'Northwind',
          services: [{ id: services.production, name: 'production' }],
        },
      ],
      dashboards: [
        {
          id: dashboards.api,
          name: 'API health',
          tiles: [
            {
              id: 'api-errors',
              dashboardId: dashboards.api,
              name: 'Error rate',
              alerts: [
                {
                  id: alerts.errorRate,
                  name: 'API error rate',
                  state: 'active',
                  threshold: 0.02,
                  thresholdType: 'ABOVE',
                },
              ],
            },
          ],
        },
      ],
    },
  },
  ServicesWithPipes: { variables: { organizationId }, calls: fleet },
  AllPipes: { variables: { organizationId }, calls: fleet },
  BoardWithAlerts: {
    variables: { dashboardId: dashboards.api },
    calls: [[`GET /api/v2/dashboards/${dashboards.api}`], ['GET /api/v2/alerts']],
  },
  PipeNow: { variables: orders, calls: [[`GET ${pipe(services.production, pipes.orders)}`]] },
  StopPipeNow: {
    variables: orders,
    calls: [
      [`PATCH ${pipe(services.production, pipes.orders)}/state`, undefined, { command: 'stop' }],
    ],
  },
  StartPipeNow: {
    variables: orders,
    calls: [
      [`PATCH ${pipe(services.production, pipes.orders)}/state`, undefined, { command: 'start' }],
    ],
  },
  Organizations: {
    variables: {},
    calls: [
      ['GET /v1/organizations', [wire.organization]],
      [`GET ${organization}/services`, [wire.service(services.production)]],
    ],
    data: {
      organizations: [{ ...read.organization, services: [read.service(services.production)] }],
    },
  },
  Organization: {
    variables: { id: organizationId },
    calls: [
      [`GET ${organization}`, wire.organization],
      [`GET ${organization}/services`, [wire.service(services.production)]],
      [`GET ${organization}/invitations`, [wire.invitation]],
    ],
    data: {
      organization: {
        ...read.organization,
        services: [read.service(services.production)],
        serviceCount: 1,
        invitations: [read.invitation],
      },
    },
  },
  Service: {
    variables: staging,
    calls: [
      [`GET ${service(services.staging)}`, wire.service(services.staging)],
      [`GET ${organization}`, wire.organization],
      [
        `GET ${service(services.staging)}/pipes`,
        [
          { ...wire.pipe(pipes.stagingClickstream), serviceId: services.staging },
          { ...wire.pipe(pipes.invoices, 'objectStorage'), serviceId: services.staging },
        ],
      ],
      [`GET ${service(services.staging)}/backupConfiguration`, wire.backupConfiguration],
    ],
    data: {
      service: {
        ...read.service(services.staging),
        organization: {
          id: organizationId,
          nodeId: nodeIdOf('Organization', organizationId),
          name: 'Northwind',
        },
        pipes: [
          read.pipe(pipes.stagingClickstream, 'kafka', services.staging),
          read.pipe(pipes.invoices, 'objectStorage', services.staging),
        ],
        backupConfiguration: read.backupConfiguration,
      },
    },
  },
  Pipe: {
    variables: orders,
    calls: [
      [`GET ${pipe(services.production, pipes.orders)}`, wire.pipe(pipes.orders, 'postgres')],
      [`GET ${service(services.production)}`, wire.service(services.production)],
    ],
    data: {
      pipe: {
        ...read.pipe(pipes.orders, 'postgres'),
        service: {
          id: services.production,
          nodeId: nodeIdOf('Service', organizationId, services.production),
          organizationId,
          name: 'production',
        },
      },
    },
  },
  Dashboards: {
    variables: {},
    calls: [
      ['GET /api/v2/dashboards', bothDashboards],
      ['GET /api/v2/alerts', bothAlerts],
    ],
    data: {
      dashboards: [
        { ...read.dashboard(dashboards.api), alerts: [firing] },
        { ...read.dashboard(dashboards.ingestion), alerts: [lagging] },
      ],
    },
  },
  Dashboard: {
    variables: { id: dashboards.api },
    calls: [
      [`GET /api/v2/dashboards/${dashboards.api}`, wire.dashboard(dashboards.api)],
      ['GET /api/v2/alerts', bothAlerts],
    ],
    data: { dashboard: { ...read.dashboard(dashboards.api), alerts: [firing] } },
  },
  Alerts: {
    variables: { filter },
    calls: [
      ['GET /api/v2/alerts', bothAlerts],
      ['GET /api/v2/dashboards', bothDashboards],
    ],
    data: {
      alerts: [
        { ...firing, ...placeOf(dashboards.api) },
        { ...lagging, ...placeOf(dashboards.ingestion) },
      ],
    },
  },
  Alert: {
    variables: { id: alerts.errorRate },
    calls: [
      [`GET /api/v2/alerts/${alerts.errorRate}`, alertOf(alerts.errorRate, dashboards.api)],
      [`GET /api/v2/dashboards/${dashboards.api}`, wire.dashboard(dashboards.api)],
    ],
    data: { alert: { ...firing, ...placeOf(dashboards.api) } },
  },
  Node: {
    variables: {
      nodeId: nodeIdOf('Pipe', organizationId, services.production, pipes.orders),
    },
    calls: [[`GET ${pipe(services.production, pipes.orders)}`, wire.pipe(pipes.orders, 'kinesis')]],
    data: { node: asNode('Pipe', read.pipe(pipes.orders, 'kinesis')) },
  },
  Nodes: {
    variables: {
      nodeIds: [
        nodeIdOf('Dashboard', dashboards.api),
        nodeIdOf('Service', organizationId, services.staging),
      ],
    },
    calls: [
      [`GET /api/v2/dashboards/${dashboards.api}`, wire.dashboard(dashboards.api)],
      [`GET ${service(services.staging)}`, wire.service(services.staging)],
    ],
    data: {
      nodes: [
        { __typename: 'Dashboard', ...read.dashboard(dashboards.api) },
        asNode('Service', read.service(services.staging)),
      ],
    },
  },
  LiveOrganization: {
    variables: { id: organizationId },
    calls: [[`GET ${organization}`, wire.organization]],
    data: { organization: read.organization },
  },
  LiveService: {
    variables: staging,
    calls: [[`GET ${service(services.staging)}`, wire.service(services.staging)]],
    data: { service: read.service(services.staging) },
  },
  LivePipes: {
    variables: { ...staging, filter: { phaseIn: ['FAILED', 'STOPPED'] } },
    calls: [
      [
        `GET ${service(services.staging)}/pipes`,
        [
          { ...wire.pipe(pipes.invoices), serviceId: services.staging },
          { ...wire.pipe(pipes.stagingClickstream), serviceId: services.staging, state: 'Failed' },
        ],
      ],
    ],
    data: {
      pipes: [
        {
          ...read.pipe(pipes.stagingClickstream, 'kafka', services.staging),
          state: 'Failed',
          phase: 'FAILED',
          availableCommands: ['START'],
        },
      ],
    },
  },
  LivePipe: {
    variables: orders,
    calls: [[`GET ${pipe(services.production, pipes.orders)}`, wire.pipe(pipes.orders)]],
    data: { pipe: read.pipe(pipes.orders) },
  },
  LiveDashboard: {
    variables: { id: dashboards.api },
    calls: [[`GET /api/v2/dashboards/${dashboards.api}`, wire.dashboard(dashboards.api)]],
    data: { dashboard: read.dashboard(dashboards.api) },
  },
  LiveAlerts: {
    variables: { filter },
    calls: [['GET /api/v2/alerts', [alert, ...bothAlerts.slice(1)]]],
    data: { alerts: [lagging] },
  },
  LiveAlert: {
    variables: { id: alerts.errorRate },
    calls: [[`GET /api/v2/alerts/${alerts.errorRate}`, alert]],
    data: { alert: read.alert(alerts.errorRate, dashboards.api) },
  },
  UpdateOrganization: {
    variables: { input: { organizationId, name: 'Northwind Data', privateEndpoints } },
    calls: [
      [`PATCH ${organization}`, wire.organization, { name: 'Northwind Data', privateEndpoints }],
    ],
    data: { updateOrganization: { organization: read.organization, userErrors } },
  },
  CreateApiKey: {
    variables: {
      input: {
        organizationId,
        name: 'Nightly report',
        roles: ['QUERY_ENDPOINTS'],
        expireAt: '2027-11-21T00:00:00Z',
        ipAccessList: [{ source: '203.0.113.8', description: 'The gateway' }],
      },
    },
    calls: [
      [
        `POST ${organization}/keys`,
        { key: wire.apiKey, keyId: 'the id', keySecret: 'the secret' },
        {
          name: 'Nightly report',
          expireAt: '2027-11-21T00:00:00Z',
          roles: ['query_endpoints'],
          ipAccessList: [{ source: '203.0.113.8', description: 'The gateway' }],
        },
      ],
    ],
    data: {
      createApiKey: {
        apiKey: read.apiKey,
        keyId: 'the id',
        keySecret: 'the secret',
        userErrors,
      },
    },
  },
  UpdateServiceScaling: {
    variables: { input: { ...production, ...scaling } },
    calls: [
      [`PATCH ${service(services.production)}/scaling`, wire.service(services.production), scaling],
    ],
    data: { updateServiceScaling: { service: read.service(services.production), userErrors } },
  },
  UpdateServicePassword: {
    variables: { input: staging },
    calls: [[`PATCH ${service(services.staging)}/password`, { password: 'generated' }, {}]],
    data: { updateServicePassword: { password: 'generated', userErrors } },
  },
  CreatePipe: {
    variables: { input: { ...staging, ...signups, source: signupsSource, validateSamples: true } },
    calls: [
      [
        `POST ${service(services.staging)}/pipes`,
        { ...wire.pipe(pipes.invoices), serviceId: services.staging },
        { ...signups, source: { ...signupsSource, validateSamples: true } },
      ],
    ],
    data: {
      createPipe: { pipe: read.pipe(pipes.invoices, 'kafka', services.staging), userErrors },
    },
  },
  UpdatePipe: {
    variables: {
      input: { organizationId, serviceId: services.trial, pipeId: pipes.crm, source: contacts },
    },
    calls: [
      [
        `PATCH ${pipe(services.trial, pipes.crm)}`,
        { ...wire.pipe(pipes.crm, 'postgres'), serviceId: services.trial },
        { source: contacts },
      ],
    ],
    data: {
      updatePipe: { pipe: read.pipe(pipes.crm, 'postgres', services.trial), userErrors },
    },
  },
  StopPipe: command('stop', pipes.clickstream, services.production),
  StartPipe: command('start', pipes.stagingClickstream, services.staging),
  ResyncPipe: command('resync', pipes.orders, services.production),
  CreateDashboard: {
    variables: { input: board },
    calls: [['POST /api/v2/dashboards', wire.dashboard(dashboards.api), board]],
    data: { createDashboard: { dashboard: read.dashboard(dashboards.api), userErrors } },
  },
  DeleteDashboard: {
    variables: { input: { dashboardId: dashboards.checkout } },
    calls: [[`DELETE /api/v2/dashboards/${dashboards.checkout}`, {}]],
    data: { deleteDashboard: { deletedDashboardId: dashboards.checkout, userErrors } },
  },
  UpdateAlert: {
    variables: { input: { alertId: alerts.errorRate, threshold: 0.05, interval: '15m' } },
    calls: [
      [
        `GET /api/v2/alerts/${alerts.errorRate}`,
        {
          ...{ ...named, threshold: 0.02, thresholdType: 'above', source: 'tile', channel },
          ...{ dashboard: dashboards.api, tileId: 'api-errors' },
        },
      ],
      [
        `PUT /api/v2/alerts/${alerts.errorRate}`,
        alert,
        {
          ...{ threshold: 0.05, interval: '15m', thresholdType: 'above', source: 'tile' },
          ...{ ...onTile, channel, ...named },
        },
      ],
    ],
    data: {
      updateAlert: { alert: read.alert(alerts.errorRate, dashboards.api), userErrors },
    },
  },
  ScalePipe: {
    live: true,
    variables: { input: { ...production, pipeId: pipes.clickstream, replicas: 4 } },
    calls: [
      [
        `PATCH ${cloudPipe}/scaling`,
        { id: pipes.clickstream, scaling: { replicas: 4 } },
        { replicas: 4 },
      ],
    ],
    data: {
      scalePipe: {
        pipe: {
          ...{ ...production, id: pipes.clickstream, phase: 'UNKNOWN' },
          availableCommands: ['START', 'STOP'],
          nodeId: nodeIdOf('Pipe', organizationId, services.production, pipes.clickstream),
          scaling: { replicas: 4 },
        },
        userErrors,
      },
    },
  },
  DeletePipe: {
    live: true,
    variables: { input: { ...production, pipeId: pipes.clickstream } },
    calls: [[`DELETE ${cloudPipe}`, {}]],
    data: { deletePipe: { deletedPipeId: pipes.clickstream, userErrors } },
  },
  OrganizationApiKeys: {
    live: true,
    variables: { id: organizationId },
    calls: [[`GET ${organization}/keys`, [wire.apiKey]]],
    data: {
      organization: {
        id: organizationId,
        nodeId: nodeIdOf('Organization', organizationId),
        apiKeys: [read.apiKey],
      },
    },
  },
  DeleteApiKey: {
    live: true,
    variables: { input: { organizationId, apiKeyId: keys.developer } },
    calls: [[`DELETE ${organization}/keys/${keys.developer}`, {}]],
    data: { deleteApiKey: { deletedApiKeyId: keys.developer, userErrors } },
  },
  StopService: serviceCommand('stop', 'stop'),
  StartService: serviceCommand('start', 'start'),
  DataSources: {
    live: true,
    variables: {},
    calls: [['GET /api/v2/sources', [{ id: 's1', name: 'Logs', kind: 'log' }]]],
    data: { dataSources: [{ id: 's1', name: 'Logs', kind: 'log' }] },
  },
  Webhooks: {
    live: true,
    variables: {},
    calls: [['GET /api/v2/webhooks', [{ id: 'w1', name: 'On call', service: 'generic' }]]],
    data: { webhooks: [{ id: 'w1', name: 'On call', service: 'generic' }] },
  },
  SavedSearches: {
    live: true,
    variables: {},
    calls: [['GET /api/v2/saved-searches', [{ id: 's1', name: 'Killed', sourceId: 's2' }]]],
    data: { savedSearches: [{ id: 's1', name: 'Killed', sourceId: 's2' }] },
  },
  UpdateDashboard: {
    live: true,
    variables: {
      input: {
        dashboardId: dashboards.api,
        name: 'API health, Europe',
        tags: ['api', 'europe'],
        mayResetTiles: true,
      },
    },
    calls: [
      [`GET /api/v2/dashboards/${dashboards.api}`, { id: dashboards.api, tiles: [] }],
      ['GET /api/v2/alerts', []],
      [`PUT /api/v2/dashboards/${dashboards.api}`, { id: dashboards.api, name: 'API', tiles: [] }],
    ],
    data: {
      updateDashboard: {
        dashboard: {
          id: dashboards.api,
          nodeId: nodeIdOf('Dashboard', dashboards.api),
          name: 'API',
          tiles: [],
        },
        userErrors,
      },
    },
  },
  CreateAlert: {
    live: true,
    variables: { input: { ...failedPayments, source: 'TILE', thresholdType: 'ABOVE' } },
    calls: [
      [
        'POST /api/v2/alerts',
        { id: alerts.errorRate, ...failedPayments, source: 'tile', state: 'OK' },
        {
          ...{ threshold: 5, thresholdType: 'above', interval: '5m', source: 'tile' },
          ...failedPayments,
        },
      ],
    ],
    data: {
      createAlert: {
        alert: {
          ...{ id: alerts.errorRate, nodeId: nodeIdOf('Alert', alerts.errorRate) },
          ...{ ...failedPayments, source: 'TILE', state: 'OK', phase: 'OK' },
        },
        userErrors,
      },
    },
  },
  DeleteAlert: {
    live: true,
    variables: { input: { alertId: alerts.errorRate } },
    calls: [[`DELETE /api/v2/alerts/${alerts.errorRate}`, {}]],
    data: { deleteAlert: { deletedAlertId: alerts.errorRate, userErrors } },
  },
  WakeService: serviceCommand('wake', 'awake'),
};

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { world } from '../../sandbox/world/ids.ts';
import { type Stack, startSandboxStack, wide } from '../support/harness.ts';

const lookAround = readFileSync(
  new URL('../../operations/screens/look-around.graphql', import.meta.url),
  'utf8',
);

const { organizationId, services, pipes } = world.management.main;
const { dashboards, alerts } = world.observability.main;
const organization = `GET /v1/organizations/${organizationId}`;
const production = `${organization}/services/${services.production}`;

const inOrganization = `organizationId: "${organizationId}"`;
const inProduction = `${inOrganization}, serviceId: "${services.production}"`;
const nodeId = (...parts: readonly string[]): string =>
  Buffer.from(parts.join(':')).toString('base64url');

let stack: Stack;
beforeAll(async () => {
  stack = await startSandboxStack({ config: wide });
});
beforeEach(() => {
  stack.calls.length = 0;
});
afterAll(() => stack.close());

/** The data of an operation that succeeded as a whole. */
const dataOf = async (document: string) => {
  const { body } = await stack.query(document);
  expect(body.errors).toBeUndefined();
  return body.data;
};

/** Aliases of one field: `a0: alert(id: "…") { name } a1: …` */
const aliases = (ids: readonly string[], field: (id: string) => string): string =>
  ids.map((id, index) => `a${index}: ${field(id)}`).join('\n');

describe('upstream calls', () => {
  it('of the first tab of GraphiQL are these and no others', async () => {
    await dataOf(lookAround);
    expect(stack.callList()).toEqual(
      [
        'GET /v1/organizations',
        `${organization}/services`,
        'GET /api/v2/dashboards',
        'GET /api/v2/alerts',
      ].sort(),
    );
  });

  it('of a query nested in both trees are these and no others', async () => {
    await dataOf(`{
      organization(id: "${organizationId}") {
        name
        services {
          name
          pipes { name state }
          backupConfiguration { backupPeriodInHours backupRetentionPeriodInHours }
        }
      }
      dashboards { name tiles { name alerts { name state threshold thresholdType } } }
    }`);
    expect(stack.callList()).toEqual(
      [
        organization,
        `${organization}/services`,
        ...Object.values(services).flatMap((id) => [
          `${organization}/services/${id}/pipes`,
          `${organization}/services/${id}/backupConfiguration`,
        ]),
        'GET /api/v2/dashboards',
        'GET /api/v2/alerts',
      ].sort(),
    );
  });

  it('are made anew for every request', async () => {
    const document = `{ service(${inProduction}) { name } alerts { name } }`;
    await dataOf(document);
    await dataOf(document);
    expect(stack.callList()).toEqual([
      'GET /api/v2/alerts',
      'GET /api/v2/alerts',
      production,
      production,
    ]);
  });
});

describe('equal reads in one request are one call:', () => {
  it.each([
    [
      'under aliases',
      `a: service(${inProduction}) { name } b: service(${inProduction}) { engineVersion }`,
      [production],
    ],
    [
      'through different paths',
      `service(${inProduction}) { name }
       organization(id: "${organizationId}") { service(id: "${services.production}") { name } }
       pipe(${inProduction}, pipeId: "${pipes.clickstream}") { service { name } }
       node(nodeId: "${nodeId('Service', organizationId, services.production)}") {
         ... on Service { name }
       }`,
      [production],
    ],
    [
      'with different filters',
      `service(${inProduction}) {
         pipes { name } running: pipes(filter: { state: "Running" }) { name }
       }
       alerts { name } lag: alerts(filter: { nameContains: "lag" }) { name }`,
      ['GET /api/v2/alerts', `${production}/pipes`],
    ],
    [
      'of a link followed there and back',
      `service(${inProduction}) { name organization { name service(id: "${services.production}") {
         name organization { name }
       } } }`,
      [organization, production],
    ],
  ])('%s', async (_, selection, calls) => {
    await dataOf(`{ ${selection} }`);
    expect(stack.callList()).toEqual(calls);
  });

  it('failed ones too', async () => {
    const { body } = await stack.query(`{
      a: alert(id: "none") { name } b: alert(id: "none") { state } c: alert(id: "none") { id name }
    }`);
    expect(body.data).toEqual({ a: null, b: null, c: null });
    expect(body.errors).toHaveLength(3);
    expect(stack.callList()).toEqual(['GET /api/v2/alerts/none']);
  });
});

describe('one by its own read, several by one list:', () => {
  const alert = (id: string): string => `alert(id: "${id}") { id name }`;
  const dashboard = (id: string): string => `dashboard(id: "${id}") { id name }`;
  const service = (id: string): string =>
    `service(${inOrganization}, serviceId: "${id}") { id name }`;
  const pipe = (id: string): string => `pipe(${inProduction}, pipeId: "${id}") { id name }`;
  const productionPipes = [pipes.clickstream, pipes.orders, pipes.archive, pipes.telemetry];

  it.each([
    { kind: 'alert', field: alert, id: alerts.lag, call: `GET /api/v2/alerts/${alerts.lag}` },
    {
      kind: 'dashboard',
      field: dashboard,
      id: dashboards.api,
      call: `GET /api/v2/dashboards/${dashboards.api}`,
    },
    { kind: 'service', field: service, id: services.production, call: production },
    {
      kind: 'pipe',
      field: pipe,
      id: pipes.orders,
      call: `${production}/pipes/${pipes.orders}`,
    },
  ])('one $kind', async ({ field, id, call }) => {
    expect((await dataOf(`{ ${aliases([id], field)} }`)).a0.id).toBe(id);
    expect(stack.callList()).toEqual([call]);
  });

  it.each([
    {
      kind: 'alerts',
      field: alert,
      ids: [alerts.lag, alerts.rows, alerts.search],
      call: 'GET /api/v2/alerts',
    },
    {
      kind: 'dashboards',
      field: dashboard,
      ids: [dashboards.api, dashboards.checkout],
      call: 'GET /api/v2/dashboards',
    },
    {
      kind: 'services',
      field: service,
      ids: [services.staging, services.production],
      call: `${organization}/services`,
    },
    { kind: 'pipes', field: pipe, ids: productionPipes, call: `${production}/pipes` },
    {
      kind: 'pipes of one parent',
      field: (id: string) => `service(${inProduction}) { id pipe(id: "${id}") { id name } }`,
      ids: [],
      document: `service(${inProduction}) {
        ${aliases(productionPipes, (id) => `pipe(id: "${id}") { name }`)}
      }`,
      call: `${production}/pipes`,
    },
    {
      kind: 'alerts, twenty times ten of them',
      field: alert,
      ids: [...Object.values(alerts), ...Object.values(alerts)],
      call: 'GET /api/v2/alerts',
    },
  ])('several $kind', async ({ field, ids, document = aliases(ids, field), call }) => {
    const data = await dataOf(`{ ${document} }`);
    for (const [index, id] of ids.entries()) expect(data[`a${index}`].id).toBe(id);
    expect(stack.callList()).toEqual([call]);
  });

  it('several of different kinds by nodes, in the order asked', async () => {
    const ids = [
      nodeId('Alert', alerts.rows),
      nodeId('Service', organizationId, services.trial),
      nodeId('Alert', alerts.lag),
      nodeId('Service', organizationId, services.staging),
      nodeId('Dashboard', dashboards.api),
    ];
    const { body } = await stack.query(
      `query ($ids: [ID!]!) { nodes(nodeIds: $ids) {
        nodeId ... on Alert { name } ... on Service { name } ... on Dashboard { name }
      } }`,
      { variables: { ids } },
    );
    expect(body.errors).toBeUndefined();
    expect(body.data.nodes.map((node: { nodeId: string }) => node.nodeId)).toEqual(ids);
    expect(stack.callList()).toEqual([
      'GET /api/v2/alerts',
      `GET /api/v2/dashboards/${dashboards.api}`,
      `${organization}/services`,
    ]);
  });

  it('one service in each of two organizations by two reads', async () => {
    const { organizationId: other, services: others } = world.management.second;
    const { body } = await stack.query(`{
      a: service(${inProduction}) { name }
      b: service(organizationId: "${other}", serviceId: "${others.production}") { name }
    }`);
    expect(body.data.a.name).toEqual(expect.any(String));
    expect(stack.callList()).toEqual([
      production,
      `GET /v1/organizations/${other}/services/${others.production}`,
    ]);
  });
});

describe('the one list of alerts serves', () => {
  it('every tile and every dashboard', async () => {
    const data = await dataOf(
      '{ dashboards { id alerts { id } tiles { id alerts { id } } } alerts { name } }',
    );
    expect(stack.callList()).toEqual(['GET /api/v2/alerts', 'GET /api/v2/dashboards']);
    const { tiles } = world.observability.main;
    const api = data.dashboards.find(({ id }: { id: string }) => id === dashboards.api);
    expect(api.alerts.map(({ id }: { id: string }) => id).sort()).toEqual(
      [alerts.errorRate, alerts.latency, alerts.traffic].sort(),
    );
    expect(api.tiles.find(({ id }: { id: string }) => id === tiles.apiErrors).alerts).toEqual([
      { id: alerts.errorRate },
    ]);
  });
});

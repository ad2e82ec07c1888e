import { afterEach, describe, expect, it } from 'vitest';
import { world } from '../../sandbox/world/ids.ts';
import {
  type Answer,
  type AnswerError,
  type Answering,
  json,
  type Stack,
  startSandboxStack,
  startStack,
} from '../support/harness.ts';

const { organizationId, services, pipes, invitations } = world.management.main;
const { dashboards, alerts, tiles } = world.observability.main;
const organization = `/v1/organizations/${organizationId}`;
const service = `${organization}/services/${services.production}`;

let stack: Stack;
afterEach(() => stack.close());

const errorsOf = (body: { readonly errors?: readonly AnswerError[] }): [string, string][] =>
  (body.errors ?? [])
    .map((error): [string, string] => [error.path.join('.'), error.extensions.code])
    .sort();

const unavailable = (path: string) => [path, 'OPERATION_UNAVAILABLE'];

/** What needs a read beyond the reference: document, its data, the paths that fail, the calls of each way. */
const rows = [
  {
    title: 'the list of organizations',
    document: '{ organizations { id } }',
    data: { organizations: null },
    unavailable: ['organizations'],
    calls: [],
    tried: ['GET /v1/organizations'],
  },
  {
    title: 'the list of dashboards',
    document: '{ dashboards { id } }',
    data: { dashboards: null },
    unavailable: ['dashboards'],
    calls: [],
    tried: ['GET /api/v2/dashboards'],
  },
  {
    title: 'an organization, which is a handle',
    document: `{ organization(id: "${organizationId}") {
      id nodeId name createdAt invitations { id } services { id }
      service(id: "${services.production}") { name organizationId organization { id } } } }`,
    data: {
      organization: {
        id: organizationId,
        nodeId: Buffer.from(`Organization:${organizationId}`).toString('base64url'),
        name: null,
        createdAt: null,
        invitations: invitations.map((id) => ({ id })),
        services: null,
        service: { name: 'production', organizationId, organization: { id: organizationId } },
      },
    },
    unavailable: ['organization.createdAt', 'organization.name', 'organization.services'],
    calls: [`GET ${organization}/invitations`, `GET ${service}`],
    tried: [`GET ${organization}`, 'GET /v1/organizations', `GET ${organization}/services`],
  },
  {
    title: 'a dashboard, which is a handle',
    document: `{ dashboard(id: "${dashboards.api}") { id name tags tiles { id } alerts { id } } }`,
    data: {
      dashboard: {
        id: dashboards.api,
        name: null,
        tags: null,
        tiles: null,
        alerts: [{ id: alerts.errorRate }, { id: alerts.latency }, { id: alerts.traffic }],
      },
    },
    unavailable: ['dashboard.name', 'dashboard.tags', 'dashboard.tiles'],
    calls: ['GET /api/v2/alerts'],
    tried: [`GET /api/v2/dashboards/${dashboards.api}`, 'GET /api/v2/dashboards'],
  },
  {
    title: 'a single pipe, which comes from the list',
    document: `{ pipe(organizationId: "${organizationId}", serviceId: "${services.production}",
      pipeId: "${pipes.orders}") { id serviceId source { __typename } service { name } } }`,
    data: {
      pipe: {
        id: pipes.orders,
        serviceId: services.production,
        source: { __typename: 'PostgresSource' },
        service: { name: 'production' },
      },
    },
    unavailable: [],
    calls: [`GET ${service}`, `GET ${service}/pipes`],
    tried: [`GET ${service}/pipes/${pipes.orders}`],
  },
  {
    title: 'two services of an organization, which are read singly',
    document: `{ organization(id: "${organizationId}") {
      a: service(id: "${services.production}") { name } b: service(id: "${services.trial}") { isPrimary } } }`,
    data: { organization: { a: { name: 'production' }, b: { isPrimary: true } } },
    unavailable: [],
    calls: [`GET ${organization}/services/${services.trial}`, `GET ${service}`],
    tried: [`GET ${organization}/services`],
  },
  {
    title: 'the links of an alert',
    document: `{ alert(id: "${alerts.latency}") {
      dashboardId tileId dashboard { id alerts { id } } tile { id dashboardId alerts { id } } } }`,
    data: {
      alert: {
        dashboardId: dashboards.api,
        tileId: tiles.apiLatency,
        dashboard: {
          id: dashboards.api,
          alerts: [{ id: alerts.errorRate }, { id: alerts.latency }, { id: alerts.traffic }],
        },
        tile: {
          id: tiles.apiLatency,
          dashboardId: dashboards.api,
          alerts: [{ id: alerts.latency }],
        },
      },
    },
    unavailable: [],
    calls: [`GET /api/v2/alerts/${alerts.latency}`, 'GET /api/v2/alerts'],
    tried: [],
  },
  {
    title: "an alert's dashboard with its name, a handle too",
    document: `{ alert(id: "${alerts.latency}") { dashboard { id name } tile { id name } } }`,
    data: {
      alert: {
        dashboard: { id: dashboards.api, name: null },
        tile: { id: tiles.apiLatency, name: null },
      },
    },
    unavailable: ['alert.dashboard.name', 'alert.tile.name'],
    calls: [`GET /api/v2/alerts/${alerts.latency}`],
    tried: [`GET /api/v2/dashboards/${dashboards.api}`, 'GET /api/v2/dashboards'],
  },
  {
    title: 'a service with all that hangs on it',
    document: `{ service(organizationId: "${organizationId}", serviceId: "${services.production}") {
      name organization { id name } backupConfiguration { backupStartTime }
      pipes(filter: {source: POSTGRES}) { id } pipe(id: "${pipes.orders}") { id state } } }`,
    data: {
      service: {
        name: 'production',
        organization: { id: organizationId, name: null },
        backupConfiguration: { backupStartTime: expect.any(String) },
        pipes: [{ id: pipes.orders }],
        pipe: { id: pipes.orders, state: 'Snapshot' },
      },
    },
    unavailable: ['service.organization.name'],
    calls: [`GET ${service}`, `GET ${service}/backupConfiguration`, `GET ${service}/pipes`],
    tried: [`GET ${organization}`, 'GET /v1/organizations'],
  },
] as const;

describe('with EXTENDED_READS off, what the reference lists still resolves:', () => {
  it.each(rows)('$title', async ({ document, data, unavailable: paths, calls }) => {
    stack = await startSandboxStack({
      config: { extendedReads: false },
      sandbox: { extendedReads: false },
    });
    const { body } = await stack.query(document);
    expect(body.data).toEqual(data);
    expect(errorsOf(body)).toEqual(paths.map(unavailable));
    expect(stack.callList()).toEqual([...calls].sort());
  });

  it('and a field that does not says which operation it lacks, with no status', async () => {
    stack = await startSandboxStack({ config: { extendedReads: false } });
    const { body } = await stack.query('{ dashboards { id } }');
    expect(body.errors[0].extensions).toEqual({
      code: 'OPERATION_UNAVAILABLE',
      upstream: { name: 'observability', operation: 'listDashboards' },
      requestId: expect.any(String),
      retryable: false,
    });
    expect(body.errors[0].message).toContain('listDashboards');
  });

  it('and a pipe that its list lacks is not found', async () => {
    stack = await startSandboxStack({ config: { extendedReads: false } });
    const { body } = await stack.query(`{ pipe(organizationId: "${organizationId}",
      serviceId: "${services.production}", pipeId: "${pipes.crm}") { name } }`);
    expect(body.data).toEqual({ pipe: null });
    expect(errorsOf(body)).toEqual([['pipe', 'NOT_FOUND']]);
  });
});

describe('with an upstream that lacks the routes, the same resolves:', () => {
  it.each(rows)('$title', async ({ document, data, unavailable: paths, calls, tried }) => {
    stack = await startSandboxStack({ sandbox: { extendedReads: false } });
    const { body } = await stack.query(document);
    expect(body.data).toEqual(data);
    expect(errorsOf(body)).toEqual(paths.map(unavailable));
    // What is lacking is tried once at most; nothing else is called more than with the switch off.
    const made = new Set(stack.callList());
    expect(made.size).toBe(stack.calls.length);
    expect([...made.difference(new Set<string>(tried))]).toEqual([...calls].sort());
  });
});

describe('a 404 of a read beyond the reference', () => {
  const plain: Answer = {
    status: 404,
    headers: { 'content-type': 'text/plain' },
    body: 'Not Found',
  };
  const html: Answer = {
    status: 404,
    headers: { 'content-type': 'text/html' },
    body: '<h1>404</h1>',
  };
  const jsonOf: Answering = ({ upstream }) =>
    json(
      upstream === 'management' ? { status: 404, error: 'NOT_FOUND: no' } : { message: 'no' },
      404,
    );

  it.each<readonly [string, string, Answering, string]>([
    ['in plain words', 'organizations', () => plain, 'OPERATION_UNAVAILABLE'],
    ['in HTML', 'organizations', () => html, 'OPERATION_UNAVAILABLE'],
    ['in HTML', 'dashboards', () => html, 'OPERATION_UNAVAILABLE'],
    ['in JSON', 'organizations', jsonOf, 'OPERATION_UNAVAILABLE'],
    ['in JSON', 'dashboards', jsonOf, 'OPERATION_UNAVAILABLE'],
  ])('%s makes %s give its code', async (_, field, answering, code) => {
    stack = await startStack({ management: answering, observability: answering });
    const { body } = await stack.query(`{ ${field} { name } }`);
    expect(body.data).toEqual({ [field]: null });
    expect(errorsOf(body)).toEqual([[field, code]]);
  });

  it.each<readonly [string, string, Answering, object | null, readonly string[]]>([
    [
      'plain',
      `organization(id: "${organizationId}") { id name }`,
      () => plain,
      { id: organizationId, name: null },
      ['organization.name', 'OPERATION_UNAVAILABLE'],
    ],
    [
      'JSON',
      `organization(id: "${organizationId}") { id name }`,
      jsonOf,
      null,
      ['organization', 'NOT_FOUND'],
    ],
    [
      'HTML',
      'dashboard(id: "d1") { id name }',
      () => html,
      { id: 'd1', name: null },
      ['dashboard.name', 'OPERATION_UNAVAILABLE'],
    ],
    ['JSON', 'dashboard(id: "d1") { id name }', jsonOf, null, ['dashboard', 'NOT_FOUND']],
  ])('in %s tells a handle from nothing: %s', async (_, field, answering, expected, error) => {
    stack = await startStack({ management: answering, observability: answering });
    const { body } = await stack.query(`{ ${field} }`);
    expect(Object.values(body.data)).toEqual([expected]);
    expect(errorsOf(body)).toEqual([error]);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { world } from '../../sandbox/world/ids.ts';
import {
  type Answer,
  type AnswerError,
  json,
  type Stack,
  startSandboxStack,
  startStack,
} from '../support/harness.ts';

const { organizationId, services, pipes, invitations } = world.management.main;
const { dashboards, alerts, tiles } = world.observability.main;
const organization = `/v1/organizations/${organizationId}`;
const service = `${organization}/services/${services.production}`;
const ofOrganization = `organization(id: "${organizationId}")`;
const ofService = `organizationId: "${organizationId}", serviceId: "${services.production}"`;
const ids = (...all: readonly string[]) => all.map((id) => ({ id }));
const apiAlerts = ids(alerts.errorRate, alerts.latency, alerts.traffic);

let stack: Stack;
afterEach(() => stack.close());

const errorsOf = (body: { readonly errors?: readonly AnswerError[] }): [string, string][] =>
  (body.errors ?? [])
    .map((error): [string, string] => [error.path.join('.'), error.extensions.code])
    .sort();

/** What needs a read beyond the reference: the data without it, the fields that fail, the calls, and those tried in vain. */
const rows = [
  {
    document: '{ organizations { id } dashboards { id } }',
    data: { organizations: null, dashboards: null },
    failing: ['dashboards', 'organizations'],
    calls: [],
    tried: ['GET /v1/organizations', 'GET /api/v2/dashboards'],
  },
  {
    document: `{ ${ofOrganization} { id nodeId name invitations { id } services { id }
      service(id: "${services.production}") { name organizationId organization { id } } } }`,
    data: {
      organization: {
        id: organizationId,
        nodeId: Buffer.from(`Organization:${organizationId}`).toString('base64url'),
        name: null,
        invitations: ids(...invitations),
        services: null,
        service: { name: 'production', organizationId, organization: { id: organizationId } },
      },
    },
    failing: ['organization.name', 'organization.services'],
    calls: [`GET ${organization}/invitations`, `GET ${service}`],
    tried: [`GET ${organization}`, 'GET /v1/organizations', `GET ${organization}/services`],
  },
  {
    document: `{ dashboard(id: "${dashboards.api}") { id name tiles { id } alerts { id } } }`,
    data: { dashboard: { id: dashboards.api, name: null, tiles: null, alerts: apiAlerts } },
    failing: ['dashboard.name', 'dashboard.tiles'],
    calls: ['GET /api/v2/alerts'],
    tried: [`GET /api/v2/dashboards/${dashboards.api}`, 'GET /api/v2/dashboards'],
  },
  {
    document: `{ pipe(${ofService}, pipeId: "${pipes.orders}") { serviceId state service { name } } }`,
    data: {
      pipe: { serviceId: services.production, state: 'Snapshot', service: { name: 'production' } },
    },
    failing: [],
    calls: [`GET ${service}`, `GET ${service}/pipes`],
    tried: [`GET ${service}/pipes/${pipes.orders}`],
  },
  {
    document: `{ pipe(${ofService}, pipeId: "${pipes.crm}") { name } }`,
    data: { pipe: null },
    failing: ['pipe'],
    code: 'NOT_FOUND',
    calls: [`GET ${service}/pipes`],
    tried: [`GET ${service}/pipes/${pipes.crm}`],
  },
  {
    document: `{ ${ofOrganization} {
      a: service(id: "${services.production}") { name } b: service(id: "${services.trial}") { isPrimary } } }`,
    data: { organization: { a: { name: 'production' }, b: { isPrimary: true } } },
    failing: [],
    calls: [`GET ${organization}/services/${services.trial}`, `GET ${service}`],
    tried: [`GET ${organization}/services`],
  },
  {
    document: `{ alert(id: "${alerts.latency}") { dashboardId
      dashboard { id name alerts { id } } tile { id dashboardId name alerts { id } } } }`,
    data: {
      alert: {
        dashboardId: dashboards.api,
        dashboard: { id: dashboards.api, name: null, alerts: apiAlerts },
        tile: {
          ...{ id: tiles.apiLatency, dashboardId: dashboards.api, name: null },
          alerts: ids(alerts.latency),
        },
      },
    },
    failing: ['alert.dashboard.name', 'alert.tile.name'],
    calls: [`GET /api/v2/alerts/${alerts.latency}`, 'GET /api/v2/alerts'],
    tried: [`GET /api/v2/dashboards/${dashboards.api}`, 'GET /api/v2/dashboards'],
  },
] as const;

describe.each([
  ['with EXTENDED_READS off', false],
  ['with an upstream that lacks the routes', true],
])('%s, what the reference lists still resolves:', (_, extendedReads) => {
  it.each(rows)('$document', async (row) => {
    stack = await startSandboxStack({
      config: { extendedReads },
      sandbox: { extendedReads: false },
    });
    const { body } = await stack.query(row.document);
    expect(body.data).toEqual(row.data);
    const code = 'code' in row ? row.code : 'OPERATION_UNAVAILABLE';
    expect(errorsOf(body)).toEqual(row.failing.map((path) => [path, code]));
    // What is lacking is tried once at most; nothing else is called more than with the switch off.
    const made = new Set(stack.callList());
    expect(made.size).toBe(stack.calls.length);
    const tried = new Set<string>(extendedReads ? row.tried : []);
    expect([...made.difference(tried)].sort()).toEqual([...row.calls].sort());
  });
});

it('with EXTENDED_READS off a field says which operation it lacks, with no status', async () => {
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

const plain: Answer = { status: 404, headers: { 'content-type': 'text/plain' }, body: 'Not Found' };
const html: Answer = {
  status: 404,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<pre>Cannot GET /api/v2/alerts/a1</pre>',
};
const words: Answer = json({ status: 404, error: 'NOT_FOUND: gone', message: 'gone' }, 404);
const route = 'OPERATION_UNAVAILABLE';
const thing = 'NOT_FOUND';

/** The errors' codes for a 404 in JSON, in HTML, and in plain words. */
describe.each<readonly [document: string, codes: readonly [string, string, string]]>([
  [`{ service(${ofService}) { name } }`, [thing, route, route]],
  [`{ service(${ofService}) { pipes { id } } }`, [thing, route, route]],
  [`{ ${ofOrganization} { invitations { id } } }`, [thing, route, route]],
  [
    `mutation { stopPipe(input: {${ofService}, pipeId: "${pipes.orders}"}) { pipe { id } } }`,
    [thing, route, route],
  ],
  ['{ alert(id: "a1") { name } }', [thing, route, thing]],
  ['{ alerts { name } }', [route, route, route]],
  ['mutation { createDashboard(input: {name: "d"}) { dashboard { id } } }', [thing, route, route]],
  ['{ organizations { name } }', [route, route, route]],
  ['{ dashboards { name } }', [route, route, route]],
])('a 404 for %s', (document, codes) => {
  it.each([
    ['JSON', words, 0],
    ['HTML', html, 1],
    ['plain words', plain, 2],
  ] as const)('in %s', async (_, answer, index) => {
    stack = await startStack({ management: () => answer, observability: () => answer });
    const { body } = await stack.query(document);
    const [error, ...others] = body.errors;
    expect(others).toEqual([]);
    expect(error.extensions).toMatchObject({
      ...{ code: codes[index], upstream: { status: 404 }, retryable: false },
    });
    expect(error.message).not.toContain('Cannot GET');
    if (codes[index] === route) expect(error.message).toContain('no such route');
  });
});

it.each([
  ['plain words', plain, `${ofOrganization} { id name }`, { id: organizationId, name: null }],
  ['JSON', words, `${ofOrganization} { id name }`, null],
  ['HTML', html, 'dashboard(id: "d1") { id name }', { id: 'd1', name: null }],
  ['JSON', words, 'dashboard(id: "d1") { id name }', null],
])('a 404 in %s tells a handle from nothing: %#', async (_, answer, field, expected) => {
  stack = await startStack({ management: () => answer, observability: () => answer });
  const { body } = await stack.query(`{ ${field} }`);
  expect(Object.values(body.data)).toEqual([expected]);
  const [[path, code] = []] = errorsOf(body);
  expect([path?.endsWith('.name'), code]).toEqual([expected !== null, expected ? route : thing]);
});

it('an alert whose own route is lacking is found in the list', async () => {
  stack = await startStack({
    management: () => html,
    observability: ({ path }) =>
      path === '/api/v2/alerts' ? json({ data: [{ id: 'a1', name: 'lag' }] }) : html,
  });
  const { body } = await stack.query('{ alert(id: "a1") { name } }');
  expect(body).toEqual({ data: { alert: { name: 'lag' } } });
  expect(stack.callList()).toEqual(['GET /api/v2/alerts', 'GET /api/v2/alerts/a1']);
});

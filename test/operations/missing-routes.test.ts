import { afterEach, describe, expect, it } from 'vitest';
import { world } from '../../sandbox/world/ids.ts';
import * as harness from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';

const { json, startSandboxStack, startStack } = harness;
const { dashboards, alerts, tiles } = world.observability.main;
const { api } = dashboards;
const apiAlerts = [alerts.errorRate, alerts.latency, alerts.traffic].map((id) => `{"id":"${id}"}`);
const o = '/v1/organizations/organization-1';

let stack: harness.Stack;
afterEach(() => stack.close());

const errorsOf = (body: { readonly errors?: readonly harness.AnswerError[] }) =>
  (body.errors ?? []).map(({ path, extensions }) => `${path.join('.')} ${extensions.code}`).sort();

/** What needs a read beyond the reference: the data without it, the fields that fail, the reads, and those tried in vain. */
const rows = withIds(`
{ organizations { id } dashboards { id } }
  {"organizations":null,"dashboards":null}
  fails: dashboards organizations
  reads:
  tries: /v1/organizations /api/v2/dashboards
{ organization(id: "organization-1") { id nodeId name invitations { id } services { id }
    service(id: "service-1") { name organizationId organization { id } } } }
  {"organization":{"id":"organization-1","nodeId":"Organization:organization-1","name":null,
    "invitations":[{"id":"invitation-1"},{"id":"invitation-2"}],"services":null,"service":
    {"name":"production","organizationId":"organization-1","organization":{"id":"organization-1"}}}}
  fails: organization.name organization.services
  reads: ${o}/invitations ${o}/services/service-1
  tries: ${o} /v1/organizations ${o}/services
{ dashboard(id: "${api}") { id name tiles { id } alerts { id } } }
  {"dashboard":{"id":"${api}","name":null,"tiles":null,"alerts":[${apiAlerts}]}}
  fails: dashboard.name dashboard.tiles
  reads: /api/v2/alerts
  tries: /api/v2/dashboards/${api} /api/v2/dashboards
{ pipe(@service-1, pipeId: "pipe-2") { serviceId state service { name } } }
  {"pipe":{"serviceId":"service-1","state":"Snapshot","service":{"name":"production"}}}
  fails:
  reads: ${o}/services/service-1 ${o}/services/service-1/pipes
  tries: ${o}/services/service-1/pipes/pipe-2
{ pipe(@service-1, pipeId: "pipe-7") { name } }
  {"pipe":null}
  fails: pipe
  reads: ${o}/services/service-1/pipes
  tries: ${o}/services/service-1/pipes/pipe-7
{ organization(id: "organization-1") {
    a: service(id: "service-1") { name } b: service(id: "service-4") { isPrimary } } }
  {"organization":{"a":{"name":"production"},"b":{"isPrimary":true}}}
  fails:
  reads: ${o}/services/service-1 ${o}/services/service-4
  tries: ${o}/services
{ alert(id: "${alerts.latency}") { dashboardId dashboard { id name alerts { id } }
    tile { id dashboardId name alerts { id } } } }
  {"alert":{"dashboardId":"${api}","dashboard":{"id":"${api}","name":null,"alerts":[${apiAlerts}]},
    "tile":{"id":"${tiles.apiLatency}","dashboardId":"${api}","name":null,
    "alerts":[{"id":"${alerts.latency}"}]}}}
  fails: alert.dashboard.name alert.tile.name
  reads: /api/v2/alerts /api/v2/alerts/${alerts.latency}
  tries: /api/v2/dashboards/${api} /api/v2/dashboards
`)
  .trim()
  .split(/\n(?=\S)/)
  .map((row) => row.split(/\n {2}(?=\S)/));

describe.each([
  ['with EXTENDED_READS off', false],
  ['with an upstream that lacks the routes', true],
])('%s, what the reference lists still resolves:', (_, extendedReads) => {
  it.each(rows)('%s', async (document = '', data = '', ...lists) => {
    const [fails = [], reads = [], tries = []] = lists.map((list) => list.split(' ').slice(1));
    const sandbox = { extendedReads: false };
    stack = await startSandboxStack({ config: { extendedReads }, sandbox });
    const { body } = await stack.query(document);
    expect(body.data).toEqual(JSON.parse(data));
    const code = fails[0] === 'pipe' ? 'NOT_FOUND' : 'OPERATION_UNAVAILABLE';
    expect(errorsOf(body)).toEqual(fails.map((path) => `${path} ${code}`));
    // What is lacking is tried once at most; nothing else is called more than with the switch off.
    const made = new Set(stack.calls.map(({ path }) => path));
    expect(made.size).toBe(stack.calls.length);
    const others = made.difference(new Set(extendedReads ? tries : []));
    expect([...others].sort()).toEqual(reads);
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

const page = (type: string, body: string): harness.Answer => {
  return { status: 404, headers: { 'content-type': type }, body };
};
const html = page('text/html; charset=utf-8', '<pre>Cannot GET /api/v2/alerts/a1</pre>');
const answers = {
  JSON: json({ status: 404, error: 'NOT_FOUND: gone', message: 'gone' }, 404),
  HTML: html,
  'plain words': page('text/plain', 'Not Found'),
};
const start = (answer: harness.Answer) =>
  startStack({ management: () => answer, observability: () => answer });

/** Whether a 404 in JSON, in HTML and in plain words says that a thing is missing, or a route. */
const thing = 'thing route route';
const meanings: readonly (readonly [document: string, meaning: string])[] = [
  ['{ service(@service-1) { name } }', thing],
  ['{ service(@service-1) { pipes { id } } }', thing],
  ['{ organization(id: "organization-1") { invitations { id } } }', thing],
  ['mutation { resyncPipe(input: {@service-1, pipeId: "pipe-2"}) { pipe { id } } }', thing],
  ['{ alert(id: "a1") { name } }', 'thing route thing'],
  ['{ alerts { name } }', 'route route route'],
  ['mutation { createDashboard(input: {name: "d"}) { dashboard { id } } }', thing],
  ['{ organizations { name } }', 'route route route'],
  ['{ dashboards { name } }', 'route route route'],
];

it.each(
  meanings.flatMap(([document, meaning]) =>
    Object.entries(answers).map(
      ([form, answer], at) => [form, document, meaning.split(' ')[at], answer] as const,
    ),
  ),
)('a 404 in %s for %s means no such %s', async (_form, document, meaning, answer) => {
  stack = await start(answer);
  const { body } = await stack.query(withIds(document));
  const [{ message, extensions }, ...others] = body.errors;
  expect(others).toEqual([]);
  const code = meaning === 'route' ? 'OPERATION_UNAVAILABLE' : 'NOT_FOUND';
  expect(extensions).toMatchObject({ code, upstream: { status: 404 }, retryable: false });
  expect(message).not.toContain('Cannot GET');
  expect(message.includes('no such route')).toBe(meaning === 'route');
});

it.each([
  ['plain words', 'organization', { id: 'o', name: null }],
  ['JSON', 'organization', null],
  ['HTML', 'dashboard', { id: 'o', name: null }],
  ['JSON', 'dashboard', null],
] as const)('a 404 in %s for a handle of %s leaves %j', async (form, field, expected) => {
  stack = await start(answers[form]);
  const id = withIds('organization-1');
  const { body } = await stack.query(`{ ${field}(id: "${id}") { id name } }`);
  expect(body.data).toEqual({ [field]: expected && { ...expected, id } });
  expect(errorsOf(body)).toEqual([
    expected ? `${field}.name OPERATION_UNAVAILABLE` : `${field} NOT_FOUND`,
  ]);
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

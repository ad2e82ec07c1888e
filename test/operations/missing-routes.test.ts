import { expect, it } from 'vitest';
import { world } from '../../sandbox/world/ids.ts';
import * as harness from '../support/harness.ts';
import { withIds, withNames } from '../support/world/ids.ts';

const { json, stackInTest, startSandboxStack } = harness;
const { dashboards, alerts, tiles } = world.observability.main;
const { api } = dashboards;
const { latency } = alerts;
const ofBoard = [alerts.errorRate, latency, alerts.traffic].map((id) => ({ id }));
const [production, organization] = [{ name: 'production' }, { id: 'organization-1' }];
const o = '/v1/organizations/organization-1';

const errorsOf = (body: { readonly errors?: readonly harness.AnswerError[] }) =>
  (body.errors ?? []).map(({ path, extensions }) => `${path.join('.')} ${extensions.code}`).sort();

/** What needs a read beyond the reference, the data without it, the fields that fail, the reads, and those tried in vain. */
interface Row {
  readonly document: string;
  readonly data: object;
  readonly fails: readonly string[];
  readonly reads: readonly string[];
  readonly tries: readonly string[];
}
const board = `/api/v2/dashboards/${api}`;
const rows: readonly Row[] = [
  {
    document: `{ organization(organizationId: "organization-1") { id name invitations { id }
      services { id } service(id: "service-1") { name organizationId organization { id } } } }`,
    data: {
      organization: {
        ...{ id: 'organization-1', name: null },
        ...{ invitations: [{ id: 'invitation-1' }, { id: 'invitation-2' }], services: null },
        service: { ...production, organizationId: 'organization-1', organization },
      },
    },
    fails: ['organization.name', 'organization.services'],
    reads: [`${o}/invitations`, `${o}/services/service-1`],
    tries: [o, '/v1/organizations', `${o}/services`],
  },
  {
    document: `{ dashboard(dashboardId: "${api}") { name tiles { id } alerts { id } } alert(alertId: "${latency}") {
      dashboard { id name alerts { id } } tile { id dashboardId name alerts { id } } } }`,
    data: {
      dashboard: { name: null, tiles: null, alerts: ofBoard },
      alert: {
        dashboard: { id: api, name: null, alerts: ofBoard },
        tile: { id: tiles.apiLatency, dashboardId: api, name: null, alerts: [{ id: latency }] },
      },
    },
    fails: ['alert.dashboard.name', 'alert.tile.name', 'dashboard.name', 'dashboard.tiles'],
    reads: ['/api/v2/alerts'],
    tries: [board, '/api/v2/dashboards'],
  },
];

it.each(
  [false, true].flatMap((extendedReads) =>
    rows.map((row) => [row.document, extendedReads, row] as const),
  ),
)(
  'what the reference lists resolves %s, tried for more: %j',
  async (document, extendedReads, { data, fails, reads, tries }) => {
    const sandbox = { extendedReads: false };
    const stack = await startSandboxStack({ config: { extendedReads }, sandbox });
    const { body } = await stack.query(withIds(document));
    expect(JSON.parse(withNames(JSON.stringify(body.data)))).toEqual(data);
    expect(errorsOf(body)).toEqual(fails.map((path) => `${path} OPERATION_UNAVAILABLE`));
    // What is lacking is tried once at most; nothing else is called more than with the switch off.
    const made = new Set(stack.calls.map(({ path }) => withNames(path)));
    expect(made.size).toBe(stack.calls.length);
    const others = made.difference(new Set(extendedReads ? tries : []));
    expect([...others].sort()).toEqual(reads);
  },
);

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
  stackInTest({ management: () => answer, observability: () => answer });

/** Whether a 404 in JSON, in HTML and in plain words says that a thing is missing, or a route. */
const things = ['thing', 'route', 'route'] as const;
const routes = ['route', 'route', 'route'] as const;
const meanings = [
  ['mutation { resyncPipe(input: {@service-1, pipeId: "pipe-2"}) { pipe { id } } }', things],
  ['{ alert(alertId: "a1") { name } }', ['thing', 'route', 'thing']],
  ['{ alerts { name } }', routes],
  ['mutation { createDashboard(input: {name: "d"}) { dashboard { id } } }', things],
  ['{ dashboards { name } }', routes],
] as const;

it.each(
  meanings.flatMap(([document, meaning]) =>
    Object.entries(answers).map(
      ([form, answer], at) => [form, document, meaning[at], answer] as const,
    ),
  ),
)('a 404 in %s for %s means no such %s', async (_form, document, meaning, answer) => {
  const stack = await start(answer);
  const { body } = await stack.query(withIds(document));
  const [{ message, extensions }, ...others] = body.errors;
  expect(others).toEqual([]);
  const code = meaning === 'route' ? 'OPERATION_UNAVAILABLE' : 'NOT_FOUND';
  expect(extensions).toMatchObject({ code, upstream: { status: 404 }, retryable: false });
  expect(message).not.toContain('Cannot GET');
  expect(message.includes('no such route')).toBe(meaning === 'route');
});

it.each([
  ['HTML', 'dashboard', { id: 'o', name: null }],
  ['JSON', 'dashboard', null],
] as const)('a 404 in %s for a handle of %s leaves %j', async (form, field, expected) => {
  const stack = await start(answers[form]);
  const id = withIds('organization-1');
  const { body } = await stack.query(`{ ${field}(${field}Id: "${id}") { id name } }`);
  expect(body.data).toEqual({ [field]: expected && { ...expected, id } });
  expect(errorsOf(body)).toEqual([
    expected ? `${field}.name OPERATION_UNAVAILABLE` : `${field} NOT_FOUND`,
  ]);
});

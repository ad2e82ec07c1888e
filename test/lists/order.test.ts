import { expect, it } from 'vitest';
import { data, result, useStack } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';

const service = (number: number, name: string | null, state: string, createdAt: string) => ({
  ...{ id: `service-${number}`, name, state, createdAt },
});
const services = [
  service(1, 'b2', 'running', '2026-03-01T00:00:00Z'),
  service(2, 'B10', 'idle', '2026-02-28T23:30:00-01:00'),
  service(3, null, 'failed', 'no time'),
  service(4, 'a1', 'somewhere', '2026-01-01T00:00:00Z'),
];
const pipe = (name: string, state: string, updatedAt: string) => ({
  ...{ id: `pipe-${name}`, name, state, createdAt: updatedAt, updatedAt },
});
const pipes = [
  pipe('p1', 'Running', '2026-02-01T00:00:00Z'),
  pipe('p2', 'Failed', '2026-01-01T00:00:00Z'),
];
const alert = (name: string, state: string, members: object = {}) => ({
  ...{ id: `alert-${name}`, name, state, dashboard: 'dashboard-1', tileId: 't1', ...members },
});
const alerts = [
  alert('x', 'OK', { silenced: true }),
  alert('y', 'ALERT', { silenced: false }),
  alert('z', 'INSUFFICIENT_DATA'),
];
const dashboards = [
  { id: 'dashboard-1', name: 'web', tags: ['shop'], tiles: [{ id: 't1' }] },
  { id: 'dashboard-2', name: 'API', tags: ['shop', 'api'], tiles: [] },
  { id: 'dashboard-3', name: 'old', tiles: [] },
];

const plain = (value: unknown) => JSON.parse(withIds(JSON.stringify(value)));
const answers: readonly (readonly [RegExp, unknown])[] = [
  [/\/services$/, services],
  [/\/pipes$/, pipes],
  [/\/alerts$/, alerts],
  [/\/dashboards$/, dashboards],
  [/\/dashboards\//, dashboards[0]],
];
const answerTo = (path: string) => plain(answers.find(([pattern]) => pattern.test(path))?.[1]);
const stack = useStack({
  management: ({ path }) => result(answerTo(path)),
  observability: ({ path }) => data(answerTo(path)),
});

const ofOrganization = (list: string) =>
  withIds(`{ organization(organizationId: "organization-1") { ${list} } }`);
const ids = withIds('organizationId: "organization-1", serviceId: "service-1"');
const ofDashboard = (list: string) =>
  withIds(`{ dashboard(dashboardId: "dashboard-1") { ${list} } }`);
const lists = {
  services: (args: string) => ofOrganization(`services(${args}) { name }`),
  allPipes: (args: string) => ofOrganization(`pipes(${args}) { items { name } }`),
  pipes: (args: string) => `{ pipes(${ids}, ${args}) { name } }`,
  ownPipes: (args: string) => `{ service(${ids}) { pipes(${args}) { name } } }`,
  dashboards: (args: string) => `{ dashboards(${args}) { name } }`,
  alerts: (args: string) => `{ alerts(${args}) { name } }`,
  onBoard: (args: string) => ofDashboard(`alerts(${args}) { name }`),
  onTile: (args: string) => ofDashboard(`tiles { alerts(${args}) { name } }`),
};

/** The names in an answer, in their order. */
const namesIn = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) =>
        key === 'name' ? [String(inner)] : namesIn(inner),
      )
    : [];

const byName = 'orderBy: {field: NAME}';
const fromLast = 'orderBy: {field: NAME, direction: DESC}';

it.each<[title: string, list: keyof typeof lists, args: string, ...names: string[]]>([
  ['numbers in names as numbers, and no name last', 'services', byName, 'a1', 'b2', 'B10', 'null'],
  ['the other way, and no name last', 'services', fromLast, 'B10', 'b2', 'a1', 'null'],
  ['times as moments', 'services', 'orderBy: {field: CREATED_AT}', 'a1', 'b2', 'B10', 'null'],
  [
    ...(['after a filter', 'services'] as const),
    ...(['filter: {nameContains: "b"}, orderBy: {field: PHASE}', 'B10', 'b2'] as const),
  ],
  ["the upstream's order", 'services', 'orderBy: null', 'b2', 'B10', 'null', 'a1'],
  ['pipes by name', 'pipes', fromLast, 'p2', 'p1'],
  ['pipes by time', 'ownPipes', 'orderBy: {field: UPDATED_AT, direction: DESC}', 'p1', 'p2'],
  [
    ...(['pipes of all services together, equal ones as they came', 'allPipes', byName] as const),
    ...['p1', 'p1', 'p1', 'p1', 'p2', 'p2', 'p2', 'p2'],
  ],
  ['dashboards with a tag', 'dashboards', 'filter: {tagIn: ["api"]}', 'API'],
  ['silenced alerts', 'alerts', 'filter: {silenced: true}', 'x'],
  ['alerts not known to be silenced', 'alerts', 'filter: {silenced: false}', 'y', 'z'],
  ['alerts of a dashboard', 'onBoard', `filter: {silenced: false}, ${fromLast}`, 'z', 'y'],
  ['alerts of a tile', 'onTile', 'filter: {phaseIn: [FIRING]}', 'y'],
])('%s: %s(%s)', async (_, list, args, ...names) => {
  const { body } = await stack.query(lists[list](args));
  expect(body.errors).toBeUndefined();
  expect(namesIn(body.data)).toEqual(names);
});

it('fields with equal and with other arguments do not get into each other', async () => {
  const { body } = await stack.query(`{ a: alerts(filter: {silenced: true}) { name }
    b: alerts(filter: {silenced: false}) { name } c: alerts(filter: {silenced: true}) { name }
    d: dashboards(${byName}) { name } e: dashboards(${fromLast}) { name } f: dashboards { name } }`);
  const found = Object.values(body.data).map((list) => namesIn(list).join(' '));
  expect(found).toEqual(['x', 'y z', 'x', 'API old web', 'web old API', 'web API old']);
});

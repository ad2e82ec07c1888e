import { afterAll, beforeAll, expect, it } from 'vitest';
import { data, result, type Stack, startStack } from '../support/harness.ts';
import { rowsOf } from '../support/rows.ts';
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

let stack: Stack;
beforeAll(async () => {
  const plain = (value: unknown) => JSON.parse(withIds(JSON.stringify(value)));
  const answers: readonly (readonly [RegExp, unknown])[] = [
    [/\/services$/, services],
    [/\/pipes$/, pipes],
    [/\/alerts$/, alerts],
    [/\/dashboards$/, dashboards],
    [/\/dashboards\//, dashboards[0]],
  ];
  const answerTo = (path: string) => plain(answers.find(([pattern]) => pattern.test(path))?.[1]);
  stack = await startStack({
    management: ({ path }) => result(answerTo(path)),
    observability: ({ path }) => data(answerTo(path)),
  });
});
afterAll(() => stack.close());

const ofOrganization = (list: string) =>
  withIds(`{ organization(id: "organization-1") { ${list} } }`);
const ids = withIds('organizationId: "organization-1", serviceId: "service-1"');
const ofDashboard = (list: string) => withIds(`{ dashboard(id: "dashboard-1") { ${list} } }`);
const lists: Readonly<Record<string, (args: string) => string>> = {
  services: (args) => ofOrganization(`services(${args}) { name }`),
  allPipes: (args) => ofOrganization(`pipes(${args}) { items { name } }`),
  pipes: (args) => `{ pipes(${ids}, ${args}) { name } }`,
  ownPipes: (args) => `{ service(${ids}) { pipes(${args}) { name } } }`,
  dashboards: (args) => `{ dashboards(${args}) { name } }`,
  alerts: (args) => `{ alerts(${args}) { name } }`,
  onBoard: (args) => ofDashboard(`alerts(${args}) { name }`),
  onTile: (args) => ofDashboard(`tiles { alerts(${args}) { name } }`),
};

/** The names in an answer, in their order. */
const namesIn = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) =>
        key === 'name' ? [String(inner)] : namesIn(inner),
      )
    : [];

const rows = rowsOf(`
  names, numbers in them as numbers, and what has none last
    services orderBy: {field: NAME} -> a1 b2 B10 null
  the other way, and what has none last all the same
    services orderBy: {field: NAME, direction: DESC} -> B10 b2 a1 null
  times as moments
    services orderBy: {field: CREATED_AT} -> a1 b2 B10 null
  after a filter
    services filter: {nameContains: "b"}, orderBy: {field: PHASE} -> B10 b2
  the upstream's order
    services orderBy: null -> b2 B10 null a1
  pipes of a service by name
    pipes orderBy: {field: NAME, direction: DESC} -> p2 p1
  pipes by time
    ownPipes orderBy: {field: UPDATED_AT, direction: DESC} -> p1 p2
  pipes of all services together, equal ones as they came
    allPipes orderBy: {field: NAME} -> p1 p1 p1 p1 p2 p2 p2 p2
  pipes by their creation
    allPipes orderBy: {field: CREATED_AT}, filter: {nameContains: "2"} -> p2 p2 p2 p2
  dashboards by name
    dashboards orderBy: {field: NAME} -> API old web
  dashboards with a tag
    dashboards filter: {tag: "api"} -> API
  dashboards with a tag and a name
    dashboards filter: {tag: "shop", nameContains: "W"} -> web
  silenced alerts
    alerts filter: {silenced: true} -> x
  alerts that are not known to be silenced
    alerts filter: {silenced: false} -> y z
  alerts of a dashboard
    onBoard filter: {silenced: false}, orderBy: {field: NAME, direction: DESC} -> z y
  alerts of a tile
    onTile filter: {phaseIn: [FIRING]} -> y
`);

it('fields with equal and with other arguments do not get into each other, in one operation', async () => {
  const asked = rows.flatMap(([, selection]) => [selection, selection]);
  const ofLists = (wanted: string) =>
    asked.flatMap((selection, index) => {
      const [list = ''] = selection.split(' ', 1);
      const args = selection.slice(list.length + 1);
      return list === wanted ? [`a${index}: ${wanted}(${args}) { name }`] : [];
    });
  const query = `{ ${ofLists('alerts').join(' ')} ${ofLists('dashboards').join(' ')} }`;
  const { body } = await stack.query(query);
  const found = Object.entries(body.data).map(([key, value]) => [key, namesIn(value).join(' ')]);
  expect(found.length).toBeGreaterThan(8);
  for (const [key = '', names] of found)
    expect(names).toBe(rows[Math.floor(Number(key.slice(1)) / 2)]?.[2]);
});

it.each(rows)('%s', async (_, selection, names) => {
  const [list = ''] = selection.split(' ', 1);
  const { body } = await stack.query(lists[list]?.(selection.slice(list.length + 1)) ?? '');
  expect(body.errors).toBeUndefined();
  expect(namesIn(body.data).join(' ')).toBe(names);
});

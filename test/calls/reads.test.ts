import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  type Answer,
  type Call,
  data,
  json,
  type Stack,
  startStack,
  wide,
} from '../support/harness.ts';
import { textOf } from '../support/operations.ts';
import { createBackend } from '../support/world/backend.ts';
import { shortCall, withIds } from '../support/world/ids.ts';
import { worldOf } from '../support/world/worlds.ts';

const sizes = { services: 3, pipesPerService: 2, dashboards: 2, alerts: 4 };
const world = worldOf({ organizations: 2, ...sizes });
/** Links that dangle, by the name of their alert. */
const dangling = {
  gone: { dashboard: 'gone', tileId: 'gone-tile' },
  tileGone: { dashboard: 'dashboard-1', tileId: 'gone' },
  tileAlone: { tileId: 'tile-1' },
  noIdentifier: { dashboard: '../x', tileId: 'tile-1' },
  ofNull: { dashboard: null, tileId: null },
};
const alone = Object.entries(dangling).map(([id, links]) => ({ id, name: id, ...links }));
const backend = createBackend({
  ...world,
  alerts: [{ id: 'gone', name: 'gone', ...dangling.gone }, ...world.alerts],
});

interface Row {
  readonly title: string;
  readonly document: string;
  /** Every upstream call, in short. */
  readonly calls: string;
  readonly data?: unknown;
  /** Path and code of each error. */
  readonly errors?: readonly (readonly [path: string, code: string])[];
  /** Answers in place of the world's, by call. */
  readonly answers?: Readonly<Record<string, Answer>>;
  /** Whether no call is answered before all have come, so that none may wait for another. */
  readonly together?: true;
}

const service = (number: number) => `service(@service-${number}) { id name }`;
const pipe = (number: number) => `pipe(@service-1, pipeId: "pipe-${number}") { name }`;
const alert = (id: string | number) => `alert(id: "alert-${id}") { name }`;
/** Aliases of one field: `a1: alert(id: "alert-1") { name } a2: …` */
const aliases = (ids: readonly number[], field: (id: number) => string): string =>
  ids.map((id, index) => `a${index + 1}: ${field(id)}`).join(' ');
const inOrganization = (selection: string) =>
  `{ organization(id: "organization-1") { ${selection} } }`;
const dashboardLink = (id: string) => `{ alert(id: "${id}") { dashboard { name } tile { name } } }`;
const nodes = [
  'Alert:alert-2',
  'Service:organization-1:service-3',
  'Alert:alert-1',
  'Service:organization-1:service-2',
  'Dashboard:dashboard-1',
];

/** A selection and its calls, a line each. */
const pairs = (lines: string) =>
  lines
    .trim()
    .split('\n')
    .map((line) => line.trim().split(' → ') as [selection: string, calls: string]);

const rows: readonly Row[] = [
  {
    title: 'the first tab of GraphiQL reads each list once',
    document: textOf('LookAround'),
    calls: 'organizations services organizations/organization-2/services dashboards alerts',
  },
  {
    title: 'equal reads on different paths are one call',
    document: `{
      ${service(1)} organization(id: "organization-1") { service(id: "service-1") { name } }
      pipe(@service-1, pipeId: "pipe-1") { service { name } }
      node(nodeId: "Service:organization-1:service-1") { ... on Service { name } }
    }`,
    calls: 'services/service-1',
  },
  {
    title: 'a link followed there and back is no further call',
    document:
      '{ service(@service-1) { name organization { name service(id: "service-1") { name organization { name } } } } }',
    calls: 'organizations/organization-1 services/service-1',
  },
  {
    title: 'equal reads that fail are one call',
    document: '{ a: alert(id: "none") { name } b: alert(id: "none") { state } }',
    data: { a: null, b: null },
    errors: [
      ['a', 'NOT_FOUND'],
      ['b', 'NOT_FOUND'],
    ],
    calls: 'alerts/none',
  },
  {
    title: 'one thing of a kind is read by its own GET',
    document: `{ organization(id: "organization-1") { name } ${service(2)} ${pipe(1)} dashboard(id: "dashboard-1") { name } ${alert(1)} }`,
    calls:
      'organizations/organization-1 services/service-2 services/service-1/pipes/pipe-1 dashboards/dashboard-1 alerts/alert-1',
  },
  {
    title: 'several things of a kind are read by one list',
    document: `{
      a: organization(id: "organization-1") { name } b: organization(id: "organization-2") { name }
      c: ${service(1)} d: ${service(2)} e: ${pipe(1)} f: ${pipe(2)} g: ${alert(1)} h: ${alert(2)}
      i: dashboard(id: "dashboard-1") { name } j: dashboard(id: "dashboard-2") { name }
    }`,
    calls: 'organizations services services/service-1/pipes dashboards alerts',
  },
  {
    title:
      'another thing of a kind that is needed later is read by the list, since a third is likely',
    document: `{ dashboard(id: "dashboard-1") { name } alert(id: "alert-2") { dashboard { name } } }`,
    data: { dashboard: { name: 'Dashboard 1' }, alert: { dashboard: { name: 'Dashboard 2' } } },
    calls: 'dashboards/dashboard-1 alerts/alert-2 dashboards',
  },
  {
    title: 'nodes come in the order asked for, several of a type by one list',
    document: `{ nodes(nodeIds: ${JSON.stringify(nodes)}) { ... on Alert { name } ... on Service { name } ... on Dashboard { name } } }`,
    data: {
      nodes: ['Alert 2', 'Service 3', 'Alert 1', 'Service 2', 'Dashboard 1'].map((name) => ({
        name,
      })),
    },
    calls: 'alerts dashboards/dashboard-1 services',
  },
  {
    title: 'one service in each of two organizations is two single reads',
    document: `{ ${service(1)} b: service(@organization-2, serviceId: "service-4") { name } }`,
    calls: 'services/service-1 organizations/organization-2/services/service-4',
  },
  {
    title: 'the one list of alerts serves every dashboard and every tile',
    document: '{ dashboards { alerts { id } tiles { alerts { id } } } alerts { name } }',
    data: expect.objectContaining({
      dashboards: [
        {
          alerts: [{ id: 'alert-1' }, { id: 'alert-3' }],
          tiles: [{ alerts: [{ id: 'alert-1' }, { id: 'alert-3' }] }],
        },
        {
          alerts: [{ id: 'alert-2' }, { id: 'alert-4' }],
          tiles: [{ alerts: [{ id: 'alert-2' }, { id: 'alert-4' }] }],
        },
      ],
    }),
    calls: 'alerts dashboards',
  },

  {
    title: 'what a list lacks, as it may be cut, is read singly',
    document: `{ ${aliases([1, 2], alert)} c: ${alert('beyond')} }`,
    data: { a1: { name: 'Alert 1' }, a2: { name: 'Alert 2' }, c: { name: 'beyond' } },
    calls: 'alerts alerts/alert-beyond',
    answers: { 'alerts/alert-beyond': data({ id: 'alert-beyond', name: 'beyond' }) },
  },
  ...[
    ['is forbidden', json({}, 403)],
    ['is malformed', { headers: { 'content-type': 'text/html' }, body: '<html>' }],
  ].map(([failure, answer]) => ({
    title: `a list that ${failure} leaves its items to be read singly`,
    document: inOrganization(aliases([1, 2], (id) => `service(id: "service-${id}") { name }`)),
    data: { organization: { a1: { name: 'Service 1' }, a2: { name: 'Service 2' } } },
    calls: 'services services/service-1 services/service-2',
    answers: { services: answer as Answer },
  })),
  {
    title: 'a list that fails otherwise fails its items',
    document: inOrganization(aliases([1, 2], (id) => `service(id: "service-${id}") { name }`)),
    errors: [
      ['organization.a1', 'UPSTREAM_ERROR'],
      ['organization.a2', 'UPSTREAM_ERROR'],
    ],
    calls: 'services',
    answers: { services: json({}, 500) },
  },
  ...pairs(`
    alerts { id } alert(id: "alert-1") { name } → alerts
    alert(id: "alert-1") { name } alerts { id } → alerts
    dashboards { id } dashboard(id: "dashboard-2") { name } → dashboards
    organizations { id } organization(id: "organization-1") { name } → organizations
    organization(id: "organization-1") { services { id } service(id: "service-1") { name } } → services
    service(@service-1) { pipes { id } pipe(id: "pipe-1") { name } } → services/service-1/pipes
    organizations { name services { organization { name } } } → organizations services organizations/organization-2/services
    dashboards { alerts { name dashboard { name } tile { name } } } → alerts dashboards
  `).map(([selection, calls]) => ({
    title: `a list answers single reads beside and below it: { ${selection} }`,
    document: `{ ${selection} }`,
    calls,
  })),

  ...pairs(`
    organization(id: "organization-1") { id nodeId service(id: "service-1") { name } } → services/service-1
    pipe(@service-1, pipeId: "pipe-1") { id nodeId serviceId organizationId service { organization { services { name } } } } → services
    alert(id: "alert-1") { name dashboard { id } tile { id dashboardId dashboard { id nodeId } } } → alerts/alert-1
    alert(id: "alert-1") { name dashboardId tileId } → alerts/alert-1
  `).map(([selection, calls]) => ({
    title: `a parent is not read for identifiers and relations alone: { ${selection} }`,
    document: `{ ${selection} }`,
    calls,
  })),
  {
    title: 'relations that need only identifiers start with their grandparent',
    document: inOrganization('name service(id: "service-1") { name pipes { name } }'),
    calls: 'organizations/organization-1 services/service-1 services/service-1/pipes',
    together: true,
  },
  {
    title: 'relations start nothing where an identifier has the wrong form',
    document: inOrganization(
      'name bad: service(id: "../x") { name pipes { name } organization { services { name } } } service(id: "service-1") { name }',
    ),
    data: { organization: { name: 'Organization 1', bad: null, service: { name: 'Service 1' } } },
    errors: [['organization.bad', 'BAD_USER_INPUT']],
    calls: 'organizations/organization-1 services/service-1',
  },

  ...[
    ['gone', null, 'dashboards/gone'],
    ['tileGone', { name: 'Dashboard 1' }, 'dashboards/dashboard-1'],
    ['tileAlone', null, ''],
    ['noIdentifier', null, ''],
    ['ofNull', null, ''],
  ].map(([id, dashboard, call]) => ({
    title: `a link that dangles is null without an error: ${id}`,
    document: dashboardLink(String(id)),
    data: { alert: { dashboard, tile: null } },
    calls: `alerts/${id} ${call}`,
    answers: Object.fromEntries(alone.map((record) => [`alerts/${record.id}`, data(record)])),
  })),
  {
    title: 'a link that dangles among others says nothing of those that hold',
    document: '{ alerts { dashboard { tiles { dashboard { name } } } } }',
    data: {
      alerts: [
        { dashboard: null },
        ...[1, 2, 1, 2].map((each) => ({
          dashboard: { tiles: [{ dashboard: { name: `Dashboard ${each}` } }] },
        })),
      ],
    },
    calls: 'alerts dashboards dashboards/gone',
  },
  {
    title: 'a link of which only identifiers are selected is not looked up',
    document: '{ alerts { dashboard { id } tile { id dashboardId } } }',
    data: {
      alerts: expect.arrayContaining([
        { dashboard: { id: 'gone' }, tile: { id: 'gone-tile', dashboardId: 'gone' } },
      ]),
    },
    calls: 'alerts',
  },
];

let row: Pick<Row, 'answers' | 'together' | 'calls'> = { calls: '' };
let all = Promise.withResolvers<void>();
let stack: Stack;
const callsOf = ({ calls }: Pick<Row, 'calls'>) => calls.split(' ').filter(Boolean).sort();
const answer = async (call: Call): Promise<Answer> => {
  if (stack.calls.length === callsOf(row).length) all.resolve();
  if (row.together) await all.promise;
  return row.answers?.[shortCall(call)] ?? backend[call.upstream](call);
};
beforeAll(async () => {
  stack = await startStack({ management: answer, observability: answer, config: wide });
});
beforeEach(() => {
  stack.calls.length = 0;
  all = Promise.withResolvers();
});
afterAll(() => stack.close());

it.each(rows)('$title', async (given) => {
  row = given;
  const { body } = await stack.query(withIds(given.document));
  const errors: readonly { path: readonly string[]; extensions: { code: string } }[] =
    body.errors ?? [];
  expect(errors.map(({ path, extensions }) => [path.join('.'), extensions.code])).toEqual(
    given.errors ?? [],
  );
  if (given.data !== undefined) expect(body.data).toEqual(given.data);
  expect(stack.calls.map(shortCall).sort()).toEqual(callsOf(given));
});

it('every request makes its calls anew, where nothing is kept', async () => {
  row = { calls: '' };
  for (const _ of [1, 2]) await stack.query(withIds(`{ ${service(1)} }`));
  expect(stack.calls.map(shortCall)).toEqual(['services/service-1', 'services/service-1']);
});

import { expect, it } from 'vitest';
import {
  type Answer,
  type AnswerError,
  type Call,
  data,
  json,
  useStack,
  wide,
} from '../support/harness.ts';
import { textOf } from '../support/operations.ts';
import { createBackend } from '../support/world/backend.ts';
import { shortCall, withIds } from '../support/world/ids.ts';
import { worldOf } from '../support/world/worlds.ts';

const sizes = { services: 3, pipesPerService: 2, dashboards: 2, alerts: 4 };
const world = worldOf({ organizations: 2, ...sizes });
const backend = createBackend(world);

interface Row {
  readonly title: string;
  readonly document: string;
  /** All calls in short: those that are made together, and then those that wait for their answers. */
  readonly rounds: readonly (readonly string[])[];
  /** Path and code of each error. */
  readonly errors?: readonly string[] | undefined;
  readonly data?: unknown;
  /** Answers in place of the world's, by call. */
  readonly answers?: Readonly<Record<string, Answer>>;
}

const ofEach = (part: string) => [1, 2, 3].map((service) => `services/service-${service}/${part}`);
const organization = 'organization(organizationId: "organization-1")';
type Plain = [title: string, document: string, rounds: Row['rounds'], errors?: readonly string[]];
const plain: readonly Plain[] = [
  [
    'the first tab of GraphiQL reads each list once',
    textOf('LookAround'),
    [
      ['organizations', 'dashboards'],
      ['services', 'organizations/organization-2/services', 'alerts'],
    ],
  ],
  [
    'a pipe by its identifier, and what it belongs to',
    '{ pipe(@service-1 pipeId: "pipe-1") { name service { name organization { name } } } }',
    [['services/service-1/pipes/pipe-1', 'services/service-1', 'organizations/organization-1']],
  ],
  [
    'nothing that is left out by a condition',
    'query ($on: Boolean! = true, $off: Boolean! = false) { service(@service-1) { name @include(if: $on) pipes @skip(if: $on) { name } backupConfiguration @skip(if: $off) { backupPeriodInHours } ... @include(if: $off) { organization { name } } } }',
    [['services/service-1', 'services/service-1/backupConfiguration']],
  ],
  [
    'an organization with all that it runs',
    `{ ${organization} { name services { name pipes { name } backupConfiguration { backupPeriodInHours } } invitations { email } } }`,
    [
      ['organizations/organization-1', 'services', 'invitations'],
      [...ofEach('pipes'), ...ofEach('backupConfiguration')],
    ],
  ],
  [
    'the pipes of all services in one list',
    `{ ${organization} { name pipes { totalCount items { name service { name organization { name } } } unreadServices { code } } } }`,
    [['organizations/organization-1', 'services'], [...ofEach('pipes')]],
  ],
  [
    'the same pipes below their services, filtered and counted',
    `{ ${organization} { serviceCount(filter: { nameContains: "1" }) services(filter: { nameContains: "1" }) { name } all: services { pipes { name } } pipes { totalCount } stopped: pipes(filter: { phaseIn: STOPPED }) { totalCount items { name } } } }`,
    [['services'], [...ofEach('pipes')]],
  ],
  [
    'a service, and its neighbours through the organization above it',
    '{ service(@service-1) { name organization { services { name } invitations { email } } } }',
    [['services', 'invitations']],
  ],
  [
    'several services of which one does not exist',
    `{ ${organization} { first: service(id: "service-1") { name } gone: service(id: "service-99") { name } } }`,
    [['services'], ['services/service-99']],
    ['organization.gone NOT_FOUND'],
  ],
  [
    'an alert with dashboard and tile',
    '{ alert(alertId: "alert-1") { name dashboard { name } tile { name } } }',
    [['alerts/alert-1'], ['dashboards/dashboard-1']],
  ],
  [
    'one dashboard with its alerts',
    '{ dashboard(dashboardId: "dashboard-1") { name tiles { name } alerts { name } } }',
    [['dashboards/dashboard-1', 'alerts']],
  ],
  [
    'both lists, linked',
    '{ alerts { name dashboard { name } } dashboards { name alerts { name } } }',
    [['alerts', 'dashboards']],
  ],
  [
    'a node of each type',
    '{ organization: node(nodeId: "Organization:organization-1") { ... on Organization { name } } service: node(nodeId: "Service:organization-1:service-1") { ... on Service { name pipes { name } } } nodes(nodeIds: ["Pipe:organization-1:service-2:pipe-3", "Dashboard:dashboard-1", "Alert:alert-1"]) { nodeId ... on Pipe { name } ...Watching } } fragment Watching on Node { ... on Dashboard { name } ... on Alert { name } }',
    [
      [
        'organizations/organization-1',
        'services/service-1',
        'services/service-1/pipes',
        'services/service-2/pipes/pipe-3',
        'dashboards/dashboard-1',
        'alerts/alert-1',
      ],
    ],
  ],
  [
    'nodes of which only identifiers are selected',
    '{ nodes(nodeIds: ["Alert:alert-1", "Pipe:organization-1:service-1:pipe-1", "Tile:dashboard-1:tile-1", "ApiKey:organization-1:service-1"]) { __typename nodeId ... on Pipe { serviceId } ... on Tile { dashboardId } ... on ApiKey { id } } }',
    [],
  ],
  [
    'two tiles of a dashboard, and one that it does not have',
    '{ nodes(nodeIds: ["Tile:dashboard-1:tile-1", "Tile:dashboard-1:tile-1", "Tile:dashboard-1:gone"]) { ... on Tile { name dashboard { name } alerts { name } } } }',
    [['dashboards/dashboard-1', 'alerts']],
    ['nodes.2 NOT_FOUND'],
  ],
  [
    'tiles of several dashboards',
    '{ nodes(nodeIds: ["Tile:dashboard-1:tile-1", "Tile:dashboard-2:tile-2"]) { ... on Tile { name } } }',
    [['dashboards']],
  ],
  [
    'a node whose type the fragments do not ask for',
    '{ node(nodeId: "Alert:alert-1") { nodeId ... on Dashboard { name } } }',
    [],
  ],
  [
    'updateServiceScaling, with the relations of the service',
    'mutation { updateServiceScaling(input: { @service-1, numReplicas: 3 }) { service { numReplicas pipes { name } backupConfiguration { backupPeriodInHours } organization { name } } } }',
    [
      ['PATCH services/service-1/scaling'],
      [
        'services/service-1/pipes',
        'services/service-1/backupConfiguration',
        'organizations/organization-1',
      ],
    ],
  ],
  [
    'updateServiceScaling twice, which changes nothing of the pipes',
    'mutation { one: updateServiceScaling(input: { @service-1, numReplicas: 3 }) { service { pipes { name } } } two: updateServiceScaling(input: { @service-1, numReplicas: 4 }) { service { pipes { name } } } }',
    [
      ['PATCH services/service-1/scaling'],
      ['services/service-1/pipes'],
      ['PATCH services/service-1/scaling'],
    ],
  ],
  [
    'createPipe, with its service',
    'mutation { createPipe(input: { @service-1, name: "New", destination: {}, source: { kinesis: { streamName: "readings" } } }) { pipe { name service { name } } } }',
    [['POST services/service-1/pipes'], ['services/service-1']],
  ],
  [
    'stopPipe, startPipe and resyncPipe in one operation, each with its service',
    'mutation { stopPipe(input: { @service-1, pipeId: "pipe-1" }) { pipe { state service { name } } } startPipe(input: { @service-1, pipeId: "pipe-1" }) { pipe { state service { name } } } resyncPipe(input: { @service-1, pipeId: "pipe-1" }) { pipe { state service { name } } } }',
    [
      ['PATCH services/service-1/pipes/pipe-1/state'],
      ['services/service-1'],
      ['PATCH services/service-1/pipes/pipe-1/state'],
      ['PATCH services/service-1/pipes/pipe-1/state'],
    ],
  ],
  [
    'createDashboard, with alerts',
    'mutation { createDashboard(input: { name: "New", tiles: [{ name: "A tile" }] }) { dashboard { name tiles { name alerts { name } } alerts { name } } } }',
    [['POST dashboards'], ['alerts']],
  ],
  [
    'updateAlert with one field, and the dashboard',
    'mutation { updateAlert(input: { alertId: "alert-1", threshold: 5 }) { alert { threshold dashboard { name } } } }',
    [['alerts/alert-1'], ['PUT alerts/alert-1'], ['dashboards/dashboard-1']],
  ],
  [
    'equal reads on different paths are one call',
    `{ service(@service-1) { id name } ${organization} { service(id: "service-1") { name } } pipe(@service-1, pipeId: "pipe-1") { service { name } } node(nodeId: "Service:organization-1:service-1") { ... on Service { name } } }`,
    [['services/service-1']],
  ],
  [
    'a link followed there and back is no further call',
    '{ service(@service-1) { name organization { name service(id: "service-1") { name organization { name } } } } }',
    [['organizations/organization-1', 'services/service-1']],
  ],
  [
    'equal reads that fail are one call',
    '{ a: alert(alertId: "none") { name } b: alert(alertId: "none") { state } }',
    [['alerts/none']],
    ['a NOT_FOUND', 'b NOT_FOUND'],
  ],
  [
    'one thing of a kind is read by its own GET',
    `{ ${organization} { name } service(@service-2) { name } pipe(@service-1, pipeId: "pipe-1") { name } dashboard(dashboardId: "dashboard-1") { name } alert(alertId: "alert-1") { name } }`,
    [
      [
        'organizations/organization-1',
        'services/service-2',
        'services/service-1/pipes/pipe-1',
        'dashboards/dashboard-1',
        'alerts/alert-1',
      ],
    ],
  ],
  [
    'several things of a kind are read by one list',
    `{ a: ${organization} { name } b: organization(organizationId: "organization-2") { name } c: service(@service-1) { name } d: service(@service-2) { name } e: pipe(@service-1, pipeId: "pipe-1") { name } f: pipe(@service-1, pipeId: "pipe-2") { name } g: alert(alertId: "alert-1") { name } h: alert(alertId: "alert-2") { name } i: dashboard(dashboardId: "dashboard-1") { name } j: dashboard(dashboardId: "dashboard-2") { name } }`,
    [['organizations', 'services', 'services/service-1/pipes', 'dashboards', 'alerts']],
  ],
  [
    'another thing of a kind that is needed later is read by the list, since a third is likely',
    '{ dashboard(dashboardId: "dashboard-1") { name } alert(alertId: "alert-2") { dashboard { name } } }',
    [['dashboards/dashboard-1', 'alerts/alert-2'], ['dashboards']],
  ],
  [
    'one service in each of two organizations is two single reads',
    '{ service(@service-1) { name } b: service(@organization-2, serviceId: "service-4") { name } }',
    [['services/service-1', 'organizations/organization-2/services/service-4']],
  ],
  [
    'a list answers single reads beside and below it: alerts',
    '{ alerts { id } alert(alertId: "alert-1") { name } }',
    [['alerts']],
  ],
  ['whichever comes first', '{ alert(alertId: "alert-1") { name } alerts { id } }', [['alerts']]],
  [
    'of dashboards',
    '{ dashboards { id } dashboard(dashboardId: "dashboard-2") { name } }',
    [['dashboards']],
  ],
  ['of organizations', `{ organizations { id } ${organization} { name } }`, [['organizations']]],
  [
    'of services',
    `{ ${organization} { services { id } service(id: "service-1") { name } } }`,
    [['services']],
  ],
  [
    'of pipes',
    '{ service(@service-1) { pipes { id } pipe(id: "pipe-1") { name } } }',
    [['services/service-1/pipes']],
  ],
  [
    'and the way back',
    '{ organizations { name services { organization { name } } } }',
    [['organizations'], ['services', 'organizations/organization-2/services']],
  ],
  [
    'and links',
    '{ dashboards { alerts { name dashboard { name } tile { name } } } }',
    [['dashboards'], ['alerts']],
  ],
  [
    'a parent is not read for identifiers and relations alone: an organization',
    `{ ${organization} { id nodeId service(id: "service-1") { name } } }`,
    [['services/service-1']],
  ],
  [
    'a pipe and its service',
    '{ pipe(@service-1, pipeId: "pipe-1") { id nodeId serviceId organizationId service { organization { services { name } } } } }',
    [['services']],
  ],
  [
    'a dashboard and a tile',
    '{ alert(alertId: "alert-1") { name dashboard { id } tile { id dashboardId dashboard { id nodeId } } } }',
    [['alerts/alert-1']],
  ],
  [
    'links as identifiers',
    '{ alert(alertId: "alert-1") { name dashboardId tileId } }',
    [['alerts/alert-1']],
  ],
  [
    'relations that need only identifiers start with their grandparent',
    `{ ${organization} { name service(id: "service-1") { name pipes { name } } } }`,
    [['organizations/organization-1', 'services/service-1', 'services/service-1/pipes']],
  ],
  [
    'relations start nothing where an identifier has the wrong form',
    `{ ${organization} { name bad: service(id: "../x") { name pipes { name } organization { services { name } } } service(id: "service-1") { name } } }`,
    [['organizations/organization-1', 'services/service-1']],
    ['organization.bad BAD_USER_INPUT'],
  ],
  [
    'an identifier of the wrong form costs its own field alone',
    '{ bad: alert(alertId: "../x") { name dashboard { name } } alert(alertId: "alert-1") { name } }',
    [['alerts/alert-1']],
    ['bad BAD_USER_INPUT'],
  ],
];

const several = '{ a: alert(alertId: "alert-1") { name } b: alert(alertId: "alert-2") { name } }';
const named = (...numbers: readonly number[]) => numbers.map((each) => ({ name: `Alert ${each}` }));
const nodes = ['Alert:alert-2', 'Dashboard:dashboard-1', 'Alert:alert-1'];
/** Links that dangle, by the name of their alert: what is read of them, and what is shown. */
const dangling: Readonly<
  Record<string, readonly [links: object, dashboard: object | null, rounds: Row['rounds']]>
> = {
  gone: [{ dashboard: 'gone', tileId: 'gone-tile' }, null, [['alerts/gone'], ['dashboards/gone']]],
  tileGone: [
    { dashboard: 'dashboard-1', tileId: 'gone' },
    { name: 'Dashboard 1' },
    [['alerts/tileGone'], ['dashboards/dashboard-1']],
  ],
  tileAlone: [{ tileId: 'tile-1' }, null, [['alerts/tileAlone']]],
  noIdentifier: [{ dashboard: '../x', tileId: 'tile-1' }, null, [['alerts/noIdentifier']]],
  ofNull: [{ dashboard: null, tileId: null }, null, [['alerts/ofNull']]],
};
const withGone = { alerts: data([{ id: 'gone', ...dangling.gone?.[0] }, ...world.alerts]) };

const onTile = { id: 'tile', source: 'tile', dashboard: 'dashboard-1', tileId: 'tile-1' };
/** Alerts without a name before those of the world, each with its own reason to have none. */
const nameless = {
  alerts: data([
    { id: 'named', name: 'Watch', dashboard: 'gone', tileId: 'gone' },
    { ...onTile, name: '' },
    { ...onTile, id: 'board', dashboard: 'dashboard-2' },
    { ...onTile, id: 'gone', dashboard: 'gone', name: ' ' },
    { ...onTile, id: 'odd', dashboard: '../x', name: 7 },
    { id: 'lost', source: 'inline', name: null },
    { id: 'search', source: 'saved_search', savedSearch: 's1' },
    ...world.alerts,
  ]),
};
const cut = data([
  ...world.dashboards,
  ...Array.from({ length: 998 }, (_, at) => ({ id: `other-${at}` })),
]);

const rows: readonly Row[] = [
  ...plain.map(([title, document, rounds, errors]) => ({ title, document, rounds, errors })),
  {
    title: 'nodes come in the order asked for, several of a type by one list',
    document: `{ nodes(nodeIds: ${JSON.stringify(nodes)}) { ... on Alert { name } ... on Dashboard { name } } }`,
    data: { nodes: [...named(2), { name: 'Dashboard 1' }, ...named(1)] },
    rounds: [['alerts', 'dashboards/dashboard-1']],
  },
  {
    title: 'the one list of alerts serves every dashboard and every tile',
    document: '{ dashboards { alerts { name } tiles { alerts { name } } } all: alerts { id } }',
    data: expect.objectContaining({
      dashboards: [named(1, 3), named(2, 4)].map((alerts) => ({ alerts, tiles: [{ alerts }] })),
    }),
    rounds: [['alerts', 'dashboards']],
  },
  {
    title: 'what a list lacks, as it may be cut, is read singly',
    document: several.replace('}', '} c: alert(alertId: "beyond") { name }'),
    data: { a: { name: 'Alert 1' }, b: { name: 'Alert 2' }, c: { name: 'beyond' } },
    rounds: [['alerts'], ['alerts/beyond']],
    answers: { 'alerts/beyond': data({ id: 'beyond', name: 'beyond' }) },
  },
  ...[json({}, 403), { headers: { 'content-type': 'text/html' }, body: '<html>' }].map(
    (alerts) => ({
      title: `a list that cannot be read leaves its items to be read singly: ${alerts.body}`,
      document: several,
      data: { a: { name: 'Alert 1' }, b: { name: 'Alert 2' } },
      rounds: [['alerts'], ['alerts/alert-1', 'alerts/alert-2']],
      answers: { alerts },
    }),
  ),
  {
    title: 'a list that fails otherwise fails its items',
    document: several,
    rounds: [['alerts']],
    errors: ['a UPSTREAM_ERROR', 'b UPSTREAM_ERROR'],
    answers: { alerts: json({}, 500) },
  },
  ...Object.entries(dangling).map(([id, [links, dashboard, rounds]]) => ({
    title: `a link that dangles is null without an error: ${id}`,
    document: `{ alert(alertId: "${id}") { dashboard { name } tile { name } } }`,
    data: { alert: { dashboard, tile: null } },
    rounds,
    answers: { [`alerts/${id}`]: data({ id, ...links }) },
  })),
  {
    title: 'a link that dangles among others says nothing of those that hold',
    document: '{ alerts { dashboard { tiles { dashboard { name } } } } }',
    data: {
      alerts: [0, 1, 2, 1, 2].map((each) => ({
        dashboard: each ? { tiles: [{ dashboard: { name: `Dashboard ${each}` } }] } : null,
      })),
    },
    rounds: [['alerts'], ['dashboards']],
    answers: withGone,
  },
  ...(
    [
      [
        'that may be cut',
        '{ alerts { dashboard { name } } }',
        [['alerts'], ['dashboards']],
        { dashboards: cut },
      ],
      [
        'sent beside the link',
        '{ dashboards { id } alerts { dashboard { name } } }',
        [['alerts', 'dashboards']],
        {},
      ],
    ] as const
  ).map(([title, document, lists, others]) => ({
    title: `a list ${title} does not say that what it lacks is gone`,
    document,
    data: expect.objectContaining({
      alerts: expect.arrayContaining([{ dashboard: { name: 'There' } }]),
    }),
    rounds: [...lists, ['dashboards/gone']],
    answers: {
      ...withGone,
      'dashboards/gone': data({ id: 'gone', name: 'There' }),
      ...others,
    },
  })),
  {
    title:
      'alerts with a name show it without a further call, those without one that of their tile',
    document: '{ alerts { displayName } }',
    data: {
      alerts: [
        ...['Watch', 'Tile 1', 'Dashboard 2', 'Alert gone', 'Alert odd', 'Alert lost'],
        ...['Alert search', 'Alert 1', 'Alert 2', 'Alert 3', 'Alert 4'],
      ].map((displayName) => ({ displayName })),
    },
    rounds: [['alerts'], ['dashboards']],
    answers: nameless,
  },
  {
    title: 'where that cannot be read, alerts without a name are called by their identifier',
    document: '{ alerts(filter: { dashboardIdIn: ["dashboard-1"] }) { displayName } }',
    data: {
      alerts: ['Alert tile', 'Alert 1', 'Alert 3'].map((displayName) => ({ displayName })),
    },
    rounds: [['alerts'], ['dashboards/dashboard-1']],
    answers: { ...nameless, 'dashboards/dashboard-1': json({}, 500) },
  },
  {
    title: 'one alert without a name reads its dashboard alone',
    document: '{ alert(alertId: "tile") { displayName } }',
    data: { alert: { displayName: 'Tile 1' } },
    rounds: [['alerts/tile'], ['dashboards/dashboard-1']],
    answers: { 'alerts/tile': data({ ...onTile, name: null }) },
  },
  {
    title: 'a link of which only identifiers are selected is not looked up',
    document: '{ alerts { dashboard { id } tile { id dashboardId } } }',
    data: {
      alerts: expect.arrayContaining([
        { dashboard: { id: 'gone' }, tile: { id: 'gone-tile', dashboardId: 'gone' } },
      ]),
    },
    rounds: [['alerts']],
    answers: withGone,
  },
];

let answers: Row['answers'];
/** The calls that wait for their answer, each with what answers it. */
const held: { readonly call: string; readonly release: () => void }[] = [];
/** After the last round calls are not held any more, so that one too many can be told. */
let isHeld = true;
const answer = async (call: Call): Promise<Answer> => {
  await new Promise<void>((release) => {
    held.push({ call: shortCall(call), release });
    if (!isHeld) release();
  });
  return answers?.[shortCall(call)] ?? backend[call.upstream](call);
};
const stack = useStack({ management: answer, observability: answer, config: wide });

/** Sends an operation, and answers its calls round by round: those of a round together, once all of them have come. */
const ask = async (document: string, rounds: readonly (readonly string[])[]) => {
  for (const { release } of held.splice(0)) release();
  isHeld = true;
  const asked = stack.query(document);
  for (const [round, calls] of rounds.entries()) {
    const waiting = () => held.map(({ call }) => call).sort();
    await expect.poll(waiting, { interval: 5, message: `round ${round + 1}` }).toEqual(calls);
    isHeld = round < rounds.length - 1;
    for (const { release } of held.splice(0)) release();
  }
  if (rounds.length === 0) isHeld = false;
  const { body } = await asked;
  expect(held.map(({ call }) => call)).toEqual([]);
  return body;
};

it.each(rows)('$title', async ({ document, rounds, errors = [], ...row }) => {
  answers = row.answers;
  const body = await ask(
    withIds(document),
    rounds.map((round) => round.toSorted()),
  );
  const failures: readonly AnswerError[] = body.errors ?? [];
  expect(failures.map(({ path, extensions }) => `${path.join('.')} ${extensions.code}`)).toEqual(
    errors,
  );
  if (row.data !== undefined) expect(body.data).toEqual(row.data);
});

it('every request makes its calls anew, where nothing is kept', async () => {
  for (const _ of [1, 2]) await ask('{ alerts { id } }', [['alerts']]);
});

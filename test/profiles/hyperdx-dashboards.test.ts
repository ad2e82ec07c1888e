import { describe, expect, it } from 'vitest';
import { type Answer, data, json } from '../support/harness.ts';
import { texts } from './cloud-records.ts';
import { dashboardId, dashboardOf, type Era, eras, grouping, sourceId } from './hyperdx-records.ts';
import {
  describeRows,
  hyperdx,
  type Members,
  mutate,
  mutationOf,
  sentOf,
  startProfile,
} from './rows.ts';

const fields = `id name x y w h asRatio where whereLanguage showOperandSeries formulas { expression alias }
  series { type displayType alias dataSource sourceId aggFn field level where whereLanguage groupBy metricName
    metricDataType fields content connectionId sqlTemplate }`;
const dashboards = '/api/v2/dashboards';

const tile = (number: number, name: string, ...series: readonly object[]) => {
  return { id: `tile-${number}`, name, x: 0, y: 2, w: 12, h: 4, series };
};
const lucene = { whereLanguage: 'lucene' };
const errors = { type: 'time', sourceId, aggFn: 'count', where: 'level:error', ...lucene };
const duration = {
  ...{ type: 'time', alias: 'p95', aggFn: 'quantile', field: 'Value', level: 0.95, where: '' },
  ...{ ...lucene, metricName: 'http.server.duration', metricDataType: 'histogram' },
};
const largest = { sourceId, aggFn: 'max', field: 'Duration' };
const groupBy = ['service', 'host'];
const [events, metrics] = [{ ...errors, groupBy, dataSource: 'events' }, { dataSource: 'metrics' }];
const line = { displayType: 'line', sourceId, groupBy };
const logs = { type: 'search', fields: ['Timestamp', 'Body'] };
const inSearch = { displayType: 'search', sourceId };
const inSql = { connectionId: '65f5e4a3b9e77c0000000c0c', sqlTemplate: 'SELECT 1' };

/** The tiles of `dashboardOf`, as they are shown. */
const tilesOf: Readonly<Record<Era, readonly Members[]>> = {
  E: [
    { ...tile(1, 'Errors', events, { ...duration, ...metrics, groupBy: [] }), asRatio: true },
    { ...tile(2, 'Log', { ...logs, dataSource: 'events', where: '' }), asRatio: false },
    { ...tile(3, 'Read me', { type: 'markdown', content: '# Errors' }), asRatio: false },
    {
      ...tile(4, 'Of the editor', {
        ...{ type: 'time', displayType: 'stacked_bar', ...largest, where: 'level:error' },
        ...{ whereLanguage: 'sql', groupBy: grouping },
      }),
      ...{ where: 'service:api', ...lucene },
    },
  ],
  H: [
    {
      ...tile(1, 'Errors', { ...errors, ...line }, { ...duration, ...line }),
      ...{ asRatio: true, formulas: [{ expression: 'A/B' }] },
    },
    tile(2, 'Log', { ...logs, ...inSearch, where: 'level:error', whereLanguage: 'sql' }),
    tile(3, 'Read me', { type: 'markdown', displayType: 'markdown', content: '# Errors' }),
    tile(4, 'In SQL', { type: 'table', displayType: 'table', ...inSql }),
    tile(5, 'Slowest', {
      ...{ type: 'table', displayType: 'table', ...largest, ...lucene, groupBy: ['service'] },
    }),
  ],
};

const menus = `filters { id name type expression sourceId isBroadcastEnabled isVariableEnabled }
  savedFilterValues { type condition }`;
/** The menus of `dashboardOf`, as they are shown. The server leaves out what they are used for. */
const menusOf: Readonly<Record<Era, Members>> = {
  E: {},
  H: {
    filters: [
      {
        ...{ ...texts('id name expression'), type: 'QUERY_EXPRESSION', sourceId },
        ...{ isBroadcastEnabled: true, isVariableEnabled: false },
      },
    ],
    savedFilterValues: [{ type: 'sql', condition: "service = 'api'" }],
  },
};

for (const era of eras) {
  const ofLists = { ...menusOf[era], tiles: tilesOf[era] };
  const shown = { id: dashboardId, name: 'Overview', tags: ['api'], ...ofLists };
  const series = {
    ...{ type: 'time', aggFn: 'avg', field: 'Duration', where: '', ...lucene, displayType: 'line' },
    ...{ groupBy: ['service'], ...(era === 'H' ? { sourceId } : { dataSource: 'events' }) },
  };
  const { id: _, ...first } = tile(1, 'Errors', series);
  const input = {
    ...{ name: 'New', tags: ['api'], tiles: [{ ...first, asRatio: false }] },
    filters: [{ name: 'Host', type: 'QUERY_EXPRESSION', expression: 'host', sourceId }],
    savedFilterValues: [{ type: 'variable', name: 'host', values: ['a'] }],
  };

  describeRows(`dashboards of HyperDX, dialect ${era}:`, hyperdx, [
    {
      title: 'list all, however the server has their series',
      document: `{ dashboards { id name tags ${menus} tiles { ${fields} } } }`,
      calls: [[`GET ${dashboards}`]],
      answer: data([dashboardOf[era]]),
      data: { dashboards: [shown] },
    },
    {
      title: 'create one with the members that the caller gives',
      document: mutationOf('createDashboard', `dashboard { tiles { ${fields} } }`),
      variables: { input },
      calls: [[`POST ${dashboards}`, input]],
      answer: data(dashboardOf[era]),
      data: { createDashboard: { dashboard: { tiles: tilesOf[era] }, userErrors: [] } },
    },
  ]);
}

it.each(['application/json', 'text/plain'])(
  'a dashboard that is missing costs one call: %s',
  async (type) => {
    const missing = { status: 404, headers: { 'content-type': type }, body: '{}' };
    const stack = await startProfile({ observability: () => missing });
    const { body } = await stack.query(`{ dashboard(dashboardId: "${dashboardId}") { name } }`);
    expect(body.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    expect(stack.callList()).toEqual([`GET ${dashboards}/${dashboardId}`]);
  },
);

it('without the profile a new dashboard with menus is refused, and one with an empty list of them is not', async () => {
  const stack = await startProfile(
    { observability: () => data({ id: dashboardId }) },
    { observabilityProfile: 'reference' },
  );
  const menu = { name: 'n', type: 'QUERY_EXPRESSION', expression: 'e', sourceId };
  const create = (filters: readonly object[]) =>
    mutate(stack, 'createDashboard', { name: 'n', filters }, 'dashboard { id }');
  const words = 'which observability does not have with the profile reference of this gateway.';
  const message = `The input has filters, ${words}`;
  expect((await create([menu])).errors).toMatchObject([{ message }]);
  expect(stack.calls).toEqual([]);
  expect((await create([])).errors).toBeUndefined();
  expect(stack.calls).toHaveLength(1);
});

const checked = { valid: false, errors: [{ path: 'tiles.0.w', message: 'Required' }] };
const found = { isValid: false, problems: checked.errors, userErrors: [] };
const unchecked = { isValid: null, problems: null, userErrors: [] };

it.each<[title: string, answer: Answer, data: object, code?: string]>([
  ['without an envelope', json({ ...checked, normalized: null }), found],
  ['in an envelope', data(checked), found],
  [
    'by HyperDX 2.13, which has no such route',
    { status: 404, headers: { 'content-type': 'text/html' }, body: '<pre>Not Found</pre>' },
    unchecked,
    'OPERATION_UNAVAILABLE',
  ],
])('the check of a dashboard is answered %s', async (_, answer, payload, code) => {
  const stack = await startProfile({ observability: () => answer });
  const selection = 'isValid problems { path message }';
  const body = await mutate(stack, 'validateDashboard', { name: 'New', tiles: [] }, selection);
  expect(body.data).toEqual({ validateDashboard: payload });
  expect(body.errors?.[0].extensions.code).toBe(code);
  expect(sentOf(stack)).toEqual([[`POST ${dashboards}/validate`, { name: 'New', tiles: [] }]]);
});

const path = `${dashboards}/${dashboardId}`;
const [read, alerts, write] = [`GET ${path}`, 'GET /api/v2/alerts', `PUT ${path}`];

const tilesIn = (dashboard: Members) => dashboard.tiles as readonly Members[];

/** A dashboard without tiles of the editor of January 2026, which its interface cannot write. */
const boardOf = (era: Era): Members => ({
  ...dashboardOf[era],
  tiles: tilesIn(dashboardOf[era]).filter(({ config }) => era === 'H' || config === undefined),
});

/** The gateway before a server with one dashboard and these alerts, whose answer to an update is the dashboard as it was. */
const start = async (dashboard: Members, alerts: readonly Members[] = []) => {
  const stack = await startProfile({
    observability: (call) => data(call.path === path ? dashboard : alerts),
  });
  const update = (input: Members) =>
    mutate(stack, 'updateDashboard', { dashboardId, ...input }, 'dashboard { id }');
  const put = (): Members => {
    const [call, body] = sentOf(stack).at(-1) ?? [];
    expect(call).toBe(write);
    // A server keeps nothing of the reference's name for the kind of data, which comes back as well.
    return JSON.parse(
      JSON.stringify(body, (name, value) => (name === 'dataSource' ? undefined : value)),
    );
  };
  return { stack, update, put };
};

const done = { data: { updateDashboard: { dashboard: { id: dashboardId }, userErrors: [] } } };

/** Tiles as they are sent back: servers of January 2026 are told of a ratio in another member. */
const sentBack = ({ seriesReturnType, ...tile }: Members): Members =>
  seriesReturnType === undefined
    ? tile
    : { ...tile, seriesReturnType, asRatio: seriesReturnType === 'ratio' };

describe.each(eras)('an update of a dashboard of HyperDX, dialect %s,', (era) => {
  const board = boardOf(era);
  const [first = {}, ...others] = tilesIn(board);
  const kept = others.map(({ id }) => ({ id }));
  /** Carries out the update; gives the tiles that were sent. */
  const tilesSent = async (input: Members): Promise<readonly Members[]> => {
    const { update, put } = await start(board);
    expect(await update({ ...input, mayResetTiles: era === 'H' })).toEqual(done);
    return tilesIn(put());
  };

  it('sends all else back as it was read', async () => {
    const { stack, update, put } = await start(board);
    expect(await update({ name: 'New', mayResetTiles: era === 'H' })).toEqual(done);
    expect(stack.callList()).toEqual([alerts, read, write]);
    expect(put()).toEqual({ name: 'New', tags: ['api'], tiles: tilesIn(board).map(sentBack) });
  });

  it('moves a tile, leaves others out, and adds one', async () => {
    const { id: _, ...added } = tile(0, 'Added', { ...errors, type: 'number' });
    // Servers of January 2026 make no identifier.
    const id = era === 'E' ? { id: expect.stringMatching(/^[0-9a-f]{24}$/) } : {};
    expect(await tilesSent({ tiles: [{ id: 'tile-1', x: 6 }, added] })).toEqual([
      { ...sentBack(first), x: 6 },
      { ...added, ...id },
    ]);
  });

  it('replaces the series of a tile', async () => {
    const changed = { id: 'tile-1', asRatio: false, series: [{ type: 'time', ...largest }] };
    const { config: _, ...rest } = first;
    const [replaced] = await tilesSent({ tiles: [changed, ...kept] });
    expect(replaced).toEqual({ ...rest, name: 'Errors', ...changed });
  });

  it('switches a ratio off, and keeps what else the tile shows', async () => {
    const asRatio = false;
    const config = { ...Object(first.config), asRatio };
    expect(await tilesSent({ tiles: [{ id: 'tile-1', asRatio }] })).toEqual([
      era === 'H' ? { ...first, config } : { ...first, asRatio },
    ]);
  });
});

const refuses = (calls: readonly string[], tiles: unknown, ...messages: readonly string[]) => {
  return [tiles, messages, calls] as const;
};
const notNull = 'must not be null. Leave it out to keep its value.';
const needed = (path: string): string => `tiles.${path} must be given for a new tile.`;
const noTile = (at: number): string => `tiles.${at}.id names no tile of the dashboard.`;
const noSeries = { id: 'tile-1', series: [{ type: 'time' }, { where: '' }] };

it.each([
  refuses(
    ...([[read], [{ id: null, asRatio: true }]] as const),
    ...['name', 'x', 'y', 'w', 'h', 'series'].map((name) => needed(`0.${name}`)),
  ),
  refuses(
    ...([
      [read],
      [{ name: 'A', x: 0, y: 0, h: 1, series: [] }, { id: 'tile-9' }, noSeries],
    ] as const),
    ...[needed('0.w'), noTile(1), 'tiles.0.series must hold at least one series.'],
    'tiles.2.series.1.type must be given.',
  ),
  refuses(
    ...([
      [],
      [
        { id: 'tile-1', name: null, w: null },
        { id: 'tile-2', series: null, x: null },
      ],
    ] as const),
    `name ${notNull}`,
    ...['0.name', '1.x', '0.w', '1.series'].map((path) => `tiles.${path} ${notNull}`),
  ),
])('an update with the tiles %j is refused with all that is wrong in them', async (...row) => {
  const [tiles, messages, calls] = row;
  for (const era of eras) {
    const { stack, update } = await start(boardOf(era));
    const { userErrors } = (await update({ tiles, ...(calls.length === 0 && { name: null }) })).data
      .updateDashboard;
    expect(userErrors).toEqual(
      messages.map((message) => {
        return { code: 'BAD_USER_INPUT', message, field: message.split(' ')[0]?.split('.') };
      }),
    );
    expect(stack.callList()).toEqual(calls);
  }
});

const hiddenAlert = { id: 'a2', name: 'Saturation', dashboard: dashboardId, tileId: 'tile-9' };
const otherAlerts = [
  { id: 'a1', name: 'Errors', dashboardId, tileId: 'tile-1' },
  { id: 'a3', dashboardId: '65f5e4a3b9e77c0000000d09', tileId: 'tile-9' },
  { id: 'a4', dashboardId, tileId: null },
];
const all = { tiles: ['tile-1', 'tile-2', 'tile-3'].map((id) => ({ id })) };

const mayReset = 'To update the dashboard all the same, set mayResetTiles to true.';
const inPart = `The upstream may show these tiles only in part: "Errors", "Log", "Read me", "In SQL", "Slowest". What it does not show of them would be reset, and tiles that it does not show at all would be deleted, with their alerts. ${mayReset}`;
const hidden = `The upstream shows no tile of this dashboard. Tiles that it does not show would be deleted, with their alerts. ${mayReset}`;
const onHidden =
  'These alerts are on tiles of the dashboard that the upstream does not show: "Saturation". The update could delete the tiles and the alerts. To update the dashboard all the same, list in tiles all the tiles that it should have.';

const parts = Array.from({ length: 12 }, (_, at) => ({ id: `t${at}`, config: {} }));
const named = expect.stringContaining('"t9" and 2 more.');
const ofEditor = expect.stringContaining('"Of the editor"');
const later = dashboardOf.H;
const renamed = { name: 'New' };
const reset = { ...renamed, mayResetTiles: true };
const withHidden = [...otherAlerts, hiddenAlert];
const [unseen, lost] = [[alerts, read], [read]];

/** With a message, the update is refused, since it could lose what the upstream does not show. */
it.each<[title: string, Members, input: Members, known: readonly Members[], string[], unknown?]>([
  ['only tags are given', later, { tags: [] }, [], lost, inPart],
  ['no tile came', { ...later, tiles: [] }, renamed, [], lost, hidden],
  ['a tile of the editor came', dashboardOf.E, renamed, [], lost, ofEditor],
  ['twelve tiles came in part', { ...later, tiles: parts }, renamed, [], lost, named],
  ['an alert is on a hidden tile', boardOf('E'), renamed, withHidden, unseen, onHidden],
  ['that alert is there, and tiles may be reset', later, reset, withHidden, unseen, onHidden],
  ['all tiles are series', boardOf('E'), renamed, otherAlerts, [alerts, read, write]],
  ['tiles and a hidden alert are given', boardOf('E'), all, [hiddenAlert], [read, write]],
])('an update where %s', async (_, board, input, known, calls, message) => {
  const { stack, update } = await start(board, known);
  const field = [message === onHidden ? 'tiles' : 'mayResetTiles'];
  const userErrors = [{ code: 'WOULD_LOSE_DATA', message, field }];
  expect(await update(input)).toEqual(
    message ? { data: { updateDashboard: { dashboard: null, userErrors } } } : done,
  );
  expect(stack.callList()).toEqual(calls);
});

it('what a server answers as null is not sent back: it would refuse it', async () => {
  const [tile = {}] = tilesIn(boardOf('E'));
  const [series = {}] = tile.series as readonly Members[];
  const withNulls = { ...tile, series: [{ ...series, alias: null, level: null }] };
  const { update, put } = await start({ ...boardOf('E'), tiles: [withNulls] });
  expect(await update({ name: 'New' })).toEqual(done);
  expect(tilesIn(put())).toEqual([{ ...sentBack(tile), series: [series] }]);
});

it('a dashboard without a list of tiles is not changed: all of them would be deleted', async () => {
  const { stack, update } = await start({ id: dashboardId, name: 'Overview' });
  expect((await update({ name: 'New' })).errors).toMatchObject([
    { extensions: { code: 'UPSTREAM_BAD_RESPONSE' } },
  ]);
  expect(stack.callList()).toEqual([read]);
});

import { describe, expect, it } from 'vitest';
import { data, json } from '../support/harness.ts';
import {
  dashboardId,
  dashboardOf,
  type Era,
  eras,
  sourceId,
} from '../support/profiles/hyperdx-records.ts';
import type { Members } from '../support/profiles/record.ts';
import { mutate, sentOf, startProfile } from '../support/profiles/rows.ts';

const path = `/api/v2/dashboards/${dashboardId}`;

const tilesOf = (dashboard: Members) => dashboard.tiles as readonly Members[];

/** A dashboard without tiles of the editor of January 2026, which its interface cannot write. */
const boardOf = (era: Era): Members => ({
  ...dashboardOf[era],
  tiles: tilesOf(dashboardOf[era]).filter(({ config }) => era === 'H' || config === undefined),
});

/** The gateway before a server with one dashboard and these alerts, whose answer to an update is the dashboard as it was. */
const start = async (dashboard: Members, alerts: readonly Members[] = []) => {
  const stack = await startProfile({
    observability: (call) => {
      if (call.path === '/api/v2/alerts') return data(alerts);
      return call.path === path ? data(dashboard) : json({ message: 'Not Found' }, 404);
    },
  });
  const update = (input: Members) =>
    mutate(stack, 'updateDashboard', { dashboardId, ...input }, 'dashboard { id }');
  const put = (): Members => {
    const [call, body] = sentOf(stack).at(-1) ?? [];
    expect(call).toBe(`PUT ${path}`);
    // A server keeps nothing of the reference's name for the kind of data, which comes back as well.
    return JSON.parse(
      JSON.stringify(body, (name, value) => (name === 'dataSource' ? undefined : value)),
    );
  };
  return { stack, update, put };
};

const done = { data: { updateDashboard: { dashboard: { id: dashboardId }, userErrors: [] } } };

/** Tiles as they are sent back: servers of January 2026 are told of a ratio in another member. */
const sentBack = ({ seriesReturnType, ...tile }: Members): Members => ({
  ...tile,
  ...(seriesReturnType !== undefined && {
    seriesReturnType,
    asRatio: seriesReturnType === 'ratio',
  }),
});

describe.each(eras)('an update of a dashboard of HyperDX, dialect %s,', (era) => {
  const board = boardOf(era);
  const [first = {}, ...others] = tilesOf(board);
  const kept = others.map(({ id }) => ({ id }));
  const agreed = { mayResetTiles: era === 'H' };

  it('sends all else back as it was read', async () => {
    const { stack, update, put } = await start(board);
    expect(await update({ name: 'New', ...agreed })).toEqual(done);
    expect(stack.callList()).toEqual(['GET /api/v2/alerts', `GET ${path}`, `PUT ${path}`]);
    expect(put()).toEqual({ name: 'New', tags: ['api'], tiles: tilesOf(board).map(sentBack) });
  });

  it('moves a tile, leaves others out, and adds one', async () => {
    const { stack, update, put } = await start(board);
    const series = { type: 'number', sourceId, aggFn: 'count', where: '', whereLanguage: 'lucene' };
    const added = { name: 'Added', x: 0, y: 9, w: 2, h: 2, series: [series] };
    expect(await update({ tiles: [{ id: 'tile-1', x: 6 }, added], ...agreed })).toEqual(done);
    expect(stack.callList()).toEqual([`GET ${path}`, `PUT ${path}`]);
    const [moved, made] = tilesOf(put());
    expect(moved).toEqual({ ...sentBack(first), x: 6 });
    // Servers of January 2026 make no identifier.
    const id = era === 'E' ? { id: expect.stringMatching(/^[0-9a-f]{24}$/) } : {};
    expect(made).toEqual({ ...added, ...id });
    expect(tilesOf(put())).toHaveLength(2);
  });

  it('replaces the series of a tile', async () => {
    const { update, put } = await start(board);
    const series = {
      type: 'time',
      sourceId,
      aggFn: 'sum',
      field: 'Duration',
      where: '',
      groupBy: [],
    };
    const tile = { id: 'tile-1', series: [series], asRatio: false };
    expect(await update({ tiles: [tile, ...kept], ...agreed })).toEqual(done);
    const { config: _, ...rest } = first;
    expect(tilesOf(put())[0]).toEqual({ ...rest, name: 'Errors', ...tile });
  });

  it('switches a ratio off, and keeps what else the tile shows', async () => {
    const { update, put } = await start(board);
    expect(await update({ tiles: [{ id: 'tile-1', asRatio: false }], ...agreed })).toEqual(done);
    const { config } = first;
    expect(tilesOf(put())[0]).toEqual(
      era === 'H'
        ? { ...first, config: Object.assign({}, config, { asRatio: false }) }
        : { ...first, asRatio: false },
    );
  });

  it.each([
    ['a tile that it does not have', [{ id: 'tile-9' }], '0', 'names no tile of the dashboard.'],
    [
      'a tile twice',
      [{ id: 'tile-1' }, { id: 'tile-1' }],
      '1',
      'names a tile that is listed before.',
    ],
  ])('is refused where the input names %s', async (_, tiles, at, words) => {
    const { stack, update } = await start(board);
    const { data } = await update({ tiles });
    expect(data.updateDashboard.userErrors).toEqual([
      { code: 'BAD_USER_INPUT', message: `tiles.${at}.id ${words}`, field: ['tiles', at, 'id'] },
    ]);
    expect(stack.callList()).toEqual([`GET ${path}`]);
  });
});

const other = '65f5e4a3b9e77c0000000d09';
const hiddenAlert = { id: 'a2', name: 'Saturation', dashboard: dashboardId, tileId: 'tile-9' };
const otherAlerts = [
  { id: 'a1', name: 'Errors', dashboardId, tileId: 'tile-1' },
  { id: 'a3', dashboardId: other, tileId: 'tile-9' },
  { id: 'a4', dashboardId, tileId: null },
];
const all = { tiles: ['tile-1', 'tile-2', 'tile-3'].map((id) => ({ id })) };

const mayReset = 'To update the dashboard all the same, set mayResetTiles to true.';
const inPart = `The upstream may show these tiles only in part: "Errors", "Log", "Read me", "In SQL", "Slowest". What it does not show of them would be reset, and tiles that it does not show at all would be deleted, with their alerts. ${mayReset}`;
const noTile = `The upstream shows no tile of this dashboard. Tiles that it does not show would be deleted, with their alerts. ${mayReset}`;
const onHidden =
  'These alerts are on tiles of the dashboard that the upstream does not show: "Saturation". The update could delete the tiles and the alerts. To update the dashboard all the same, list in tiles all the tiles that it should have.';

const [read, alerts, write] = [`GET ${path}`, 'GET /api/v2/alerts', `PUT ${path}`];
const parts = Array.from({ length: 12 }, (_, at) => ({ id: `t${at}`, config: {} }));
const named = expect.stringContaining('"t9" and 2 more.');
const reset = { name: 'New', mayResetTiles: true };

describe('an update that could lose what the upstream does not show', () => {
  const refused = (field: string, message: unknown) => ({
    data: {
      updateDashboard: {
        dashboard: null,
        userErrors: [{ code: 'WOULD_LOSE_DATA', message, field: [field] }],
      },
    },
  });

  it.each<[title: string, tiles: unknown, input: Members, message: unknown]>([
    ['only tags are given', tilesOf(dashboardOf.H), { tags: [] }, inPart],
    ['tiles are given', tilesOf(dashboardOf.H), all, inPart],
    ['mayResetTiles is false', tilesOf(dashboardOf.H), { ...reset, mayResetTiles: false }, inPart],
    ['no tile came', [], { name: 'New' }, noTile],
    ['twelve tiles came in part, of which ten are named', parts, { name: 'New' }, named],
  ])('is refused where %s', async (_, tiles, input, message) => {
    const { stack, update } = await start({ ...dashboardOf.H, tiles });
    expect(await update(input)).toEqual(refused('mayResetTiles', message));
    expect(stack.callList()).toEqual([read]);
  });

  it.each<[Era, Members]>([
    ['E', { name: 'New' }],
    ['H', reset],
  ])(
    'is refused where an alert is on a hidden tile, whatever may be reset (dialect %s)',
    async (era, input) => {
      const { stack, update } = await start(boardOf(era), [...otherAlerts, hiddenAlert]);
      expect(await update(input)).toEqual(refused('tiles', onHidden));
      expect(stack.callList()).toEqual([alerts, read]);
    },
  );

  it.each<[title: string, Era, Members, readonly Members[], calls: readonly string[]]>([
    ['all tiles are series', 'E', { name: 'New' }, otherAlerts, [alerts, read, write]],
    ['tiles are given', 'E', all, [hiddenAlert], [read, write]],
    ['tiles are given and may be reset', 'H', { ...all, ...reset }, [hiddenAlert], [read, write]],
  ])('is carried out where %s', async (_, era, input, known, calls) => {
    const { stack, update } = await start(boardOf(era), known);
    expect(await update(input)).toEqual(done);
    expect(stack.callList()).toEqual(calls);
  });
});

it('what a server answers as null is not sent back: it would refuse it', async () => {
  const [tile = {}] = tilesOf(boardOf('E'));
  const [series = {}] = tile.series as readonly Members[];
  const withNulls = { ...tile, series: [{ ...series, alias: null, level: null }] };
  const { update, put } = await start({ ...boardOf('E'), tiles: [withNulls] });
  expect(await update({ name: 'New' })).toEqual(done);
  expect(tilesOf(put())).toEqual([{ ...sentBack(tile), series: [series] }]);
});

it('a dashboard without a list of tiles is not changed: all of them would be deleted', async () => {
  const { stack, update } = await start({ id: dashboardId, name: 'Overview' });
  expect((await update({ name: 'New' })).errors).toMatchObject([
    { extensions: { code: 'UPSTREAM_BAD_RESPONSE' } },
  ]);
  expect(stack.callList()).toEqual([read]);
});

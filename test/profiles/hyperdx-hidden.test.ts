import { describe, expect, it } from 'vitest';
import {
  madeThrough,
  dashboardPath as path,
  startBoard as start,
  tilesOf,
  withoutDataSource,
} from '../support/profiles/hyperdx-board-stack.ts';
import { dashboardOf } from '../support/profiles/hyperdx-dashboards.ts';
import { dashboardId, type Era, type Members } from '../support/profiles/hyperdx-records.ts';

const secondAlert = { id: 'a2', name: 'Saturation', dashboard: dashboardId, tileId: 'tile-9' };
const others = [
  { id: 'a1', name: 'Errors', dashboardId, tileId: 'tile-1' },
  { id: 'a3', dashboardId: '65f5e4a3b9e77c0000000d09', tileId: 'tile-9' },
  { id: 'a4', dashboardId, tileId: null },
];

const hiddenParts =
  'The upstream may show these tiles only in part: "Errors", "Log", "Read me", "In SQL", "Slowest". What it does not show of them would be reset, and tiles that it does not show at all would be deleted, with their alerts. To update the dashboard all the same, set mayResetTiles to true.';
const hiddenTiles =
  'The upstream shows no tile of this dashboard. Tiles that it does not show would be deleted, with their alerts. To update the dashboard all the same, set mayResetTiles to true.';
const hiddenAlerts =
  'These alerts are on tiles of the dashboard that the upstream does not show: "Saturation". The update could delete the tiles and the alerts. To update the dashboard all the same, give all tiles that it is to have in tiles.';

const all = ['tile-1', 'tile-2', 'tile-3'].map((id) => ({ id }));

describe('an update of a dashboard that could lose what the upstream does not show', () => {
  it.each<[string, Era, Members, Members, readonly Members[], string, string, boolean]>([
    [
      'a tile is a config',
      'H',
      dashboardOf.H,
      { name: 'New' },
      [],
      'mayResetTiles',
      hiddenParts,
      false,
    ],
    [
      'only tags are given',
      'H',
      dashboardOf.H,
      { tags: [] },
      [],
      'mayResetTiles',
      hiddenParts,
      false,
    ],
    [
      'tiles are given',
      'H',
      dashboardOf.H,
      { tiles: all },
      [],
      'mayResetTiles',
      hiddenParts,
      false,
    ],
    [
      'mayResetTiles is false',
      'H',
      dashboardOf.H,
      { name: 'New', mayResetTiles: false },
      [],
      'mayResetTiles',
      hiddenParts,
      false,
    ],
    [
      'no tile came',
      'H',
      { ...dashboardOf.H, tiles: [] },
      { name: 'New' },
      [],
      'mayResetTiles',
      hiddenTiles,
      false,
    ],
    [
      'an alert is on a hidden tile',
      'E',
      madeThrough('E'),
      { name: 'New' },
      [secondAlert],
      'tiles',
      hiddenAlerts,
      true,
    ],
    [
      'an alert is on a hidden tile, whatever may be reset',
      'H',
      dashboardOf.H,
      { name: 'New', mayResetTiles: true },
      [...others, secondAlert],
      'tiles',
      hiddenAlerts,
      true,
    ],
  ])(
    'is refused where %s (dialect %s)',
    async (_, era, first, input, alerts, field, message, asks) => {
      const { stack, update, dashboard } = await start(era, first, alerts);
      expect((await update(input)).data.updateDashboard).toEqual({
        dashboard: null,
        userErrors: [{ code: 'WOULD_LOSE_DATA', message, field: [field] }],
      });
      expect(stack.callList()).toEqual([...(asks ? ['GET /api/v2/alerts'] : []), `GET ${path}`]);
      expect(dashboard()).toEqual(first);
    },
  );

  it.each<[string, Era, Members, readonly Members[], readonly string[]]>([
    ['all tiles are series', 'E', { name: 'New' }, others, ['GET /api/v2/alerts']],
    ['tiles are given', 'E', { tiles: all }, [secondAlert], []],
    [
      'tiles are given and may be reset',
      'H',
      { tiles: all, mayResetTiles: true },
      [secondAlert],
      [],
    ],
  ])('is carried out where %s (dialect %s)', async (_, era, input, alerts, asked) => {
    const { stack, update } = await start(era, madeThrough(era), alerts);
    expect((await update(input)).data.updateDashboard.userErrors).toEqual([]);
    expect(stack.callList()).toEqual([...asked, `GET ${path}`, `PUT ${path}`]);
  });

  it('names ten tiles at most', async () => {
    const tiles = Array.from({ length: 12 }, (_, at) => ({ id: `t${at}`, config: {} }));
    const { update } = await start('H', { ...dashboardOf.H, tiles });
    const [{ message }] = (await update({ name: 'New' })).data.updateDashboard.userErrors;
    expect(message).toContain('"t0", "t1"');
    expect(message).toContain('"t9" and 2 more.');
  });
});

it('a dashboard is changed once more, though the server answers null for what a series lacks', async () => {
  const [first = {}] = tilesOf(madeThrough('E'));
  const [series = {}] = first.series as Members[];
  const withNulls = { ...first, series: [{ ...series, alias: null, level: null }] };
  const { update, dashboard } = await start('E', { ...madeThrough('E'), tiles: [withNulls] });
  expect((await update({ name: 'New' })).data.updateDashboard.userErrors).toEqual([]);
  expect(withoutDataSource(dashboard())).toEqual({
    ...madeThrough('E'),
    name: 'New',
    tiles: [{ ...first, series: [series] }],
  });
});

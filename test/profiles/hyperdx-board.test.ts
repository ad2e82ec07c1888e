import { describe, expect, it } from 'vitest';
import { startStack } from '../support/harness.ts';
import { createBoard } from '../support/profiles/hyperdx-board.ts';
import {
  dashboardPath as path,
  startBoard as start,
  tilesOf,
  withoutDataSource,
} from '../support/profiles/hyperdx-board-stack.ts';
import { dashboardOf } from '../support/profiles/hyperdx-dashboards.ts';
import {
  dashboardId,
  type Era,
  eras,
  type Members,
  sourceId,
} from '../support/profiles/hyperdx-records.ts';
import { startHyperdx } from '../support/profiles/hyperdx-stack.ts';

/** What an update of either server needs to be carried out, where it is known what it resets. */
const agreed = (era: Era): Members => (era === 'H' ? { mayResetTiles: true } : {});

describe.each(eras)('a dashboard of HyperDX, dialect %s', (era) => {
  it('is renamed and keeps all else: tiles as they were, with their identifiers and alerts', async () => {
    const { stack, update, dashboard, lostAlerts } = await start(era);
    const before = dashboard();
    const body = await update({ name: 'New', ...agreed(era) });
    expect(body.data.updateDashboard).toMatchObject({
      dashboard: { id: dashboardId, name: 'New', tags: ['api'] },
      userErrors: [],
    });
    expect(stack.callList()).toEqual(['GET /api/v2/alerts', `GET ${path}`, `PUT ${path}`]);
    expect(withoutDataSource(dashboard())).toEqual({ ...before, name: 'New' });
    expect(lostAlerts).toEqual([]);
  });

  it('has one tile moved, one left out and one added', async () => {
    const { update, dashboard, lostAlerts } = await start(era);
    const [first = {}] = tilesOf(dashboard());
    const series = { type: 'number', sourceId, aggFn: 'count', where: '', whereLanguage: 'lucene' };
    const added = { name: 'Added', x: 0, y: 9, w: 2, h: 2, series: [series] };
    const tiles = [{ id: 'tile-1', x: 6 }, added];
    const body = await update({ tiles, ...agreed(era) });
    expect(body.data.updateDashboard.userErrors).toEqual([]);
    const [moved, made] = tilesOf(dashboard());
    expect(withoutDataSource(moved ?? {})).toEqual({ ...first, x: 6 });
    expect(made).toMatchObject({
      id: expect.stringMatching(era === 'H' ? /^made-/ : /^[0-9a-f]{24}$/),
      name: 'Added',
      series: [series],
    });
    expect(tilesOf(dashboard())).toHaveLength(2);
    expect(lostAlerts).toEqual(era === 'H' ? ['tile-2', 'tile-3', 'tile-4', 'tile-5'] : []);
  });

  it('has the series of a tile replaced', async () => {
    const { update, dashboard, lostAlerts } = await start(era);
    const series = {
      type: 'time',
      sourceId,
      aggFn: 'sum',
      field: 'Duration',
      where: '',
      groupBy: [],
    };
    const others = tilesOf(dashboard())
      .slice(1)
      .map(({ id }) => ({ id }));
    const body = await update({
      tiles: [{ id: 'tile-1', series: [series], asRatio: false }, ...others],
      ...agreed(era),
    });
    expect(body.data.updateDashboard.userErrors).toEqual([]);
    const [changed] = tilesOf(dashboard());
    expect(changed).toEqual({
      ...{ id: 'tile-1', name: 'Errors', x: 0, y: 2, w: 12, h: 4, series: [series] },
      ...(era === 'H'
        ? { asRatio: false, containerId: 'c1', tabId: 't1' }
        : { seriesReturnType: 'column' }),
    });
    expect(lostAlerts).toEqual([]);
  });

  it('has its ratio switched off, and keeps what else the tile shows', async () => {
    const { update, dashboard } = await start(era);
    const [first = {}] = tilesOf(dashboard());
    const tiles = [{ id: 'tile-1', asRatio: false }];
    const body = await update({ tiles, ...agreed(era) });
    expect(body.data.updateDashboard.dashboard.tiles).toMatchObject([{ asRatio: false }]);
    const [changed = {}] = tilesOf(dashboard());
    const config = first.config as Members | undefined;
    expect(withoutDataSource(changed)).toEqual(
      config
        ? { ...first, config: { ...config, asRatio: false } }
        : { ...first, seriesReturnType: 'column' },
    );
  });

  it.each<[string, readonly Members[], string, string]>([
    [
      'a tile that it does not have',
      [{ id: 'tile-9' }],
      '0',
      'tiles.0.id names no tile of the dashboard.',
    ],
    [
      'a tile twice',
      [{ id: 'tile-1' }, { id: 'tile-1' }],
      '1',
      'tiles.1.id names a tile that is listed before.',
    ],
  ])('is not changed where the input names %s', async (_, tiles, at, message) => {
    const { stack, update } = await start(era);
    expect(await update({ tiles })).toEqual({
      data: {
        updateDashboard: {
          dashboard: null,
          userErrors: [{ code: 'BAD_USER_INPUT', message, field: ['tiles', at, 'id'] }],
        },
      },
    });
    expect(stack.callList()).toEqual([`GET ${path}`]);
  });

  it('that does not exist is not found, with one call', async () => {
    const { stack, update } = await start(era);
    const other = '65f5e4a3b9e77c0000000d09';
    const body = await update({ dashboardId: other, name: 'New' });
    expect(body.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    const read = await stack.query(`{ dashboard(id: "${other}") { name } }`);
    expect(read.body.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    expect(stack.callList()).toEqual(Array(2).fill(`GET /api/v2/dashboards/${other}`));
  });
});

it('a dashboard with a tile of the editor is not changed by a server of January 2026, which says so', async () => {
  const { update, dashboard, lostAlerts } = await start('E', dashboardOf.E);
  const { data } = await update({ name: 'New', mayResetTiles: true });
  expect(data.updateDashboard).toMatchObject({
    dashboard: null,
    userErrors: [{ code: 'REJECTED' }],
  });
  expect(dashboard()).toEqual(dashboardOf.E);
  expect(lostAlerts).toEqual([]);
});

it('a dashboard without a list of tiles is not changed: all of them would be deleted', async () => {
  const board = createBoard('H', { id: dashboardId, name: 'Overview' });
  const stack = await startHyperdx(board.answering);
  const { body } = await stack.query(
    `mutation { updateDashboard(input: { dashboardId: "${dashboardId}", name: "New" }) { dashboard { id } } }`,
  );
  expect(body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
  expect(stack.callList()).toEqual([`GET ${path}`]);
});

it('a dashboard is not read to be changed where the profile cannot change it', async () => {
  const stack = await startStack({
    management: () => ({ status: 500, body: '' }),
    observability: () => ({ status: 500, body: '' }),
  });
  const { body } = await stack.query(
    `mutation { updateDashboard(input: { dashboardId: "${dashboardId}", name: "New" }) { dashboard { id } } }`,
  );
  expect(body.errors).toMatchObject([
    {
      message:
        'This field needs replaceDashboard, which observability does not have with the profile reference of this gateway.',
      path: ['updateDashboard', 'dashboard'],
      extensions: { code: 'OPERATION_UNAVAILABLE' },
    },
  ]);
  expect(stack.calls).toEqual([]);
  await stack.close();
});

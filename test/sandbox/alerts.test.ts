import { describe, expect, it } from 'vitest';
import type { Alert, Dashboard } from '../../sandbox/observability/shapes.ts';
import { createClock, credentials, open, world } from '../support/sandbox/harness.ts';

const { main, second } = world.observability;
const path = '/api/v2/alerts';
const errorRate = `${path}/${main.alerts.errorRate}`;

const full = {
  threshold: 0.5,
  interval: '1h',
  thresholdType: 'below',
  source: 'tile',
  dashboardId: main.dashboards.checkout,
  tileId: main.tiles.checkoutOrders,
  channel: { type: 'webhook', webhookId: main.webhooks.channel },
  name: 'Renamed',
  message: 'Changed',
};

describe('alert reads', () => {
  it('the list has what a single read shows', async () => {
    const { observability } = await open();
    const { data } = (await observability<readonly Alert[]>('GET', path)).body;
    expect(data).toHaveLength(10);
    for (const alert of data) {
      const single = await observability('GET', `${path}/${alert.id}`);
      expect(single.body).toEqual({ data: alert });
    }
  });

  it('every alert but the dangling one and the one on a search leads to a tile', async () => {
    const { observability } = await open();
    const alerts = (await observability<readonly Alert[]>('GET', path)).body.data;
    const dashboards = (await observability<readonly Dashboard[]>('GET', '/api/v2/dashboards')).body
      .data;
    const lost = alerts.filter(({ dashboard, tileId }) => {
      const tiles = dashboards.find(({ id }) => id === dashboard)?.tiles ?? [];
      return !tiles.some(({ id }) => id === tileId);
    });
    expect(lost.map(({ id }) => id)).toEqual([main.alerts.search, main.alerts.dangling]);
  });

  it.each(['000000000000000000000000', 'nonsense', second.alerts.silent])(
    'answers %s, which it does not know, with a JSON 404',
    async (id) => {
      const { observability } = await open();
      const read = await observability('GET', `${path}/${id}`);
      expect([read.status, read.body]).toEqual([404, { message: 'Alert not found' }]);
      const put = await observability('PUT', `${path}/${id}`, full);
      expect([put.status, put.body]).toEqual([404, { message: 'Alert not found' }]);
    },
  );

  it('the second team sees its own alert only', async () => {
    const { observability } = await open();
    const { header } = credentials.observability.second;
    const { data } = (await observability<readonly Alert[]>('GET', path, undefined, header)).body;
    expect(data.map(({ id, team }) => [id, team])).toEqual([[second.alerts.silent, second.teamId]]);
    expect((await observability('PUT', errorRate, full, header)).status).toBe(404);
  });
});

describe('alert update', () => {
  it('replaces what a body can carry and keeps the rest', async () => {
    const clock = createClock();
    const { observability } = await open({ clock: clock.read });
    const reply = await observability<Alert>('PUT', errorRate, full);
    const { dashboardId, ...given } = full;
    expect(reply.status).toBe(200);
    expect(reply.body.data).toEqual({
      ...given,
      dashboard: dashboardId,
      id: main.alerts.errorRate,
      state: 'ALERT',
      team: main.teamId,
      silenced: false,
      createdAt: '2026-03-10T10:00:00Z',
      updatedAt: '2026-11-21T12:00:00.000Z',
    });
    expect((await observability('GET', errorRate)).body).toEqual(reply.body);
  });

  it('omitted name and message become null, other omitted members absent', async () => {
    const { observability } = await open();
    const { data } = (await observability<Alert>('PUT', errorRate, { threshold: 1 })).body;
    expect(data).toMatchObject({ name: null, message: null, threshold: 1 });
    expect(Object.keys(data).sort()).toEqual(
      [
        'id',
        'name',
        'message',
        'threshold',
        'state',
        'team',
        'silenced',
        'createdAt',
        'updatedAt',
      ].sort(),
    );
  });

  it('keeps the saved search and the grouping, which no body can carry', async () => {
    const { observability } = await open();
    const body = { ...full, source: 'search', dashboardId: undefined, tileId: undefined };
    const reply = await observability('PUT', `${path}/${main.alerts.search}`, body);
    expect(reply.body.data).toMatchObject({
      source: 'search',
      savedSearch: main.savedSearchId,
      groupBy: 'host',
    });
    expect(reply.body.data).not.toHaveProperty('tileId');
    expect(reply.body.data).not.toHaveProperty('dashboard');
  });

  it('does not ask whether the dashboard exists', async () => {
    const { observability } = await open();
    const body = { ...full, dashboardId: main.dashboards.gone, tileId: 'landing-visits' };
    const reply = await observability('PUT', `${path}/${main.alerts.dangling}`, body);
    expect(reply.body.data).toMatchObject({ dashboard: main.dashboards.gone, name: 'Renamed' });
  });

  const interval = 'interval must be a number followed by a unit letter, such as 5m';
  it.each([
    [{ ...full, threshold: '1' }, 'threshold must be a number'],
    [{ ...full, interval: 5 }, 'interval must be a string'],
    [{ ...full, interval: '5 minutes' }, interval],
    [{ ...full, interval: 'm' }, interval],
    [{ ...full, interval: '0m' }, interval],
    [{ ...full, thresholdType: 'over' }, 'thresholdType must be one of above, below'],
    [{ ...full, source: 'saved_search' }, 'source must be one of tile, search'],
    [{ ...full, dashboardId: 1 }, 'dashboardId must be a string'],
    [{ ...full, channel: 'webhook' }, 'channel must be an object'],
    [{ ...full, channel: { webhookId: 1 } }, 'channel.webhookId must be a string'],
    [{ ...full, name: 1 }, 'name must be a string'],
  ])('refuses %j, and changes nothing', async (body, message) => {
    const { observability } = await open();
    const before = await observability('GET', errorRate);
    const reply = await observability('PUT', errorRate, body);
    expect([reply.status, reply.body]).toEqual([400, { message }]);
    expect((await observability('GET', errorRate)).body).toEqual(before.body);
  });
});

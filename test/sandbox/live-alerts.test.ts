import { describe, expect, it } from 'vitest';
import type { LiveAlert } from '../../sandbox/live/observability/alert-shapes.ts';
import { createClock, credentials, world } from '../support/sandbox/harness.ts';
import { liveWorld, openLive } from '../support/sandbox/live.ts';

const { main, second } = world.observability;
const path = '/api/v2/alerts';
const errorRate = `${path}/${main.alerts.errorRate}`;
const slowQueries = `${path}/${liveWorld.alerts.slowQueries}`;

const oncall = { type: 'webhook', webhookId: main.webhooks.oncall };
const chat = { type: 'webhook', webhookId: main.webhooks.channel };

const onTile = {
  source: 'tile',
  dashboardId: main.dashboards.checkout,
  tileId: main.tiles.checkoutOrders,
  threshold: 0.5,
  interval: '1h',
  thresholdType: 'below_or_equal',
  channel: chat,
};

type Api = Awaited<ReturnType<typeof openLive>>['observability'];

const read = async (observability: Api, at: string) =>
  (await observability<LiveAlert>('GET', at)).body.data;

describe('alerts of the live sandbox', () => {
  it('name their links by identifier, and have no names of the reference', async () => {
    const { observability } = await openLive();
    const { data } = (await observability<readonly LiveAlert[]>('GET', path)).body;
    const byId = new Map(data.map((alert) => [alert.id, alert]));
    expect(byId.get(main.alerts.errorRate)).toMatchObject({
      source: 'tile',
      teamId: main.teamId,
      dashboardId: main.dashboards.api,
      tileId: main.tiles.apiErrors,
      channel: oncall,
      channels: [oncall],
      note: null,
    });
    expect(byId.get(main.alerts.search)).toMatchObject({
      source: 'saved_search',
      savedSearchId: main.savedSearchId,
    });
    expect(byId.get(main.alerts.lag)?.silenced).toMatchObject({
      by: 'mira.okafor@northwind.example',
    });
    for (const alert of data) {
      for (const name of ['team', 'dashboard', 'savedSearch'])
        expect(alert).not.toHaveProperty(name);
      expect(alert.silenced === undefined || typeof alert.silenced === 'object').toBe(true);
      expect(['ALERT', 'OK', 'INSUFFICIENT_DATA', 'DISABLED', 'PENDING']).toContain(alert.state);
      expect(await read(observability, `${path}/${alert.id}`)).toEqual(alert);
    }
  });

  it('come in pages, which say how many there are', async () => {
    const { observability } = await openLive();
    const all = await observability<readonly LiveAlert[]>('GET', path);
    expect(all.body).toMatchObject({ meta: { total: 12, limit: 1000, offset: 0 } });
    expect(all.headers.get('x-total-count')).toBe('12');
    const page = await observability<readonly LiveAlert[]>('GET', `${path}?limit=4&offset=9`);
    expect(page.body).toEqual({
      data: all.body.data.slice(9),
      meta: { total: 12, limit: 4, offset: 9 },
    });
    expect(page.headers.get('x-total-count')).toBe('12');
    const beyond = await observability('GET', `${path}?offset=12`);
    expect(beyond.body).toEqual({ data: [], meta: { total: 12, limit: 1000, offset: 12 } });
  });

  it.each([
    ['limit=0', 'limit must be an integer from 1 to 1000'],
    ['limit=1001', 'limit must be an integer from 1 to 1000'],
    ['limit=', 'limit must be an integer from 1 to 1000'],
    ['offset=-1', 'offset must be an integer from 0 to 9007199254740991'],
    ['offset=1.5', 'offset must be an integer from 0 to 9007199254740991'],
  ])('refuse the page %s', async (query, message) => {
    const { observability } = await openLive();
    const reply = await observability('GET', `${path}?${query}`);
    expect([reply.status, reply.body]).toEqual([400, { message }]);
  });

  it.each([
    ['000000000000000000000000', 404, 'Alert not found'],
    [second.alerts.silent, 404, 'Alert not found'],
    ['nonsense', 400, 'id must be an identifier of 24 hexadecimal digits'],
  ])('that are unknown: %s', async (id, status, message) => {
    const { observability } = await openLive();
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const body = method === 'PUT' ? onTile : undefined;
      const reply = await observability(method, `${path}/${id}`, body);
      expect([reply.status, reply.body]).toEqual([status, { message }]);
    }
  });

  it('of another team are the other team’s alone', async () => {
    const { observability } = await openLive();
    const { header } = credentials.observability.second;
    const reply = await observability<readonly LiveAlert[]>('GET', path, undefined, header);
    expect(reply.body.data.map(({ id, teamId }) => [id, teamId])).toEqual([
      [second.alerts.silent, second.teamId],
    ]);
    expect((await observability('PUT', errorRate, onTile, header)).status).toBe(404);
  });
});

describe('PUT of an alert in the live sandbox', () => {
  it('changes nothing when the whole answer of GET is sent back', async () => {
    const clock = createClock();
    const { observability } = await openLive({ clock: clock.read });
    const ids = [...Object.values(main.alerts), liveWorld.alerts.slowQueries];
    // Its dashboard is gone.
    for (const id of ids.filter((one) => one !== main.alerts.dangling)) {
      const before = await read(observability, `${path}/${id}`);
      const reply = await observability<LiveAlert>('PUT', `${path}/${id}`, before);
      expect(reply.body.data).toEqual({ ...before, updatedAt: '2026-11-21T12:00:00.000Z' });
    }
  });

  it('loses what is left out, apart from schedule and second threshold', async () => {
    const { observability } = await openLive();
    const before = await read(observability, slowQueries);
    const { threshold, interval, savedSearchId } = before;
    const body = { threshold, interval, savedSearchId, thresholdType: 'above', channel: chat };
    const { data } = (await observability<LiveAlert>('PUT', slowQueries, body)).body;
    expect(data).toEqual({
      ...before,
      thresholdType: 'above',
      name: null,
      message: null,
      note: null,
      groupBy: null,
      numConsecutiveWindows: null,
      channel: chat,
      channels: [chat],
      updatedAt: data.updatedAt,
    });
    expect(await read(observability, slowQueries)).toEqual(data);
  });

  it('does not write what is the service’s own', async () => {
    const { observability } = await openLive();
    const own = {
      state: 'OK',
      teamId: 'x',
      silenced: null,
      executionErrors: [],
      createdAt: 'x',
      more: 1,
    };
    const before = await read(observability, slowQueries);
    await observability('PUT', slowQueries, { ...before, ...own });
    const after = await read(observability, slowQueries);
    expect(after).toEqual({ ...before, updatedAt: after.updatedAt });
  });

  it('changes the link with the source', async () => {
    const { observability } = await openLive();
    const { data } = (await observability<LiveAlert>('PUT', slowQueries, onTile)).body;
    expect(data).toMatchObject({ source: 'tile', tileId: main.tiles.checkoutOrders });
    expect(data).not.toHaveProperty('savedSearchId');
  });

  it.each([
    [{ threshold: undefined }, 'threshold is required'],
    [{ interval: undefined }, 'interval is required'],
    [{ thresholdType: undefined }, 'thresholdType is required'],
    [{ interval: '2m' }, 'interval must be one of 1m, 5m, 15m, 30m, 1h, 6h, 12h, 1d'],
    [{ source: 'search' }, 'source must be one of tile, saved_search'],
    [{ source: undefined }, 'savedSearchId is required'],
    [{ source: 'saved_search', savedSearchId: main.dashboards.api }, 'Saved search not found'],
    [{ dashboardId: undefined }, 'dashboardId is required'],
    [{ dashboardId: 'x' }, 'dashboardId must be an identifier of 24 hexadecimal digits'],
    [{ dashboardId: main.dashboards.gone }, 'Dashboard not found'],
    [{ dashboardId: second.dashboards.meters }, 'Dashboard not found'],
    [{ tileId: undefined }, 'tileId is required'],
    [{ tileId: main.tiles.apiErrors }, 'Tile not found'],
    [{ channel: undefined }, 'channel is required, or channels'],
    [{ channel: null }, 'channel must not be null'],
    [{ channel: { type: 'email' } }, 'channel.type must be one of webhook'],
    [{ channel: { ...oncall, webhookId: second.webhooks.oncall } }, 'Webhook not found'],
    [{ channels: [oncall] }, 'channel must be the first of channels'],
    [{ channel: undefined, channels: [] }, 'channels must have at least 1 element'],
    [
      { channel: undefined, channels: Array(11).fill(oncall) },
      'channels must have at most 10 elements',
    ],
    [{ thresholdType: 'between' }, 'thresholdMax is required for between'],
    [{ thresholdType: 'not_between' }, 'thresholdMax is required for not_between'],
    [{ thresholdMax: null }, 'thresholdMax must not be null'],
    [{ name: '' }, 'name must have from 1 to 512 characters'],
    [{ message: 'x'.repeat(4097) }, 'message must have from 1 to 4096 characters'],
  ])('and POST refuse %o, and change nothing', async (change, message) => {
    const { observability } = await openLive();
    const before = (await observability('GET', path)).body;
    for (const [method, at] of [
      ['PUT', errorRate],
      ['POST', path],
    ] as const) {
      const reply = await observability(method, at, { ...onTile, ...change });
      expect([reply.status, reply.body]).toEqual([400, { message }]);
    }
    expect((await observability('GET', path)).body).toEqual(before);
  });
});

describe('POST and DELETE of an alert in the live sandbox', () => {
  it('create one with several channels, and delete it', async () => {
    const { observability } = await openLive();
    const { channel: _, ...body } = {
      ...onTile,
      channels: [chat, oncall],
      thresholdType: 'between',
      thresholdMax: 9,
    };
    const reply = await observability<LiveAlert>('POST', path, body);
    expect(reply.body.data).toMatchObject({
      ...body,
      channel: chat,
      state: 'OK',
      teamId: main.teamId,
    });
    const at = `${path}/${reply.body.data.id}`;
    expect(await read(observability, at)).toEqual(reply.body.data);
    const gone = await observability('DELETE', at);
    expect([gone.status, gone.body]).toEqual([200, {}]);
    expect((await observability('GET', at)).status).toBe(404);
    expect((await observability('DELETE', at)).status).toBe(404);
  });
});

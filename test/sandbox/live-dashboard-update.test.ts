import { describe, expect, it } from 'vitest';
import type { LiveAlert } from '../../sandbox/live/observability/alert-shapes.ts';
import type { LiveDashboard } from '../../sandbox/live/observability/dashboard-shapes.ts';
import { world } from '../support/sandbox/harness.ts';
import { liveWorld, openLive } from '../support/sandbox/live.ts';

const { main } = world.observability;
const path = '/api/v2/dashboards';
const api = `${path}/${main.dashboards.api}`;

const config = {
  displayType: 'line',
  sourceId: liveWorld.sources.logs,
  select: [{ aggFn: 'count' }],
};
const tile = { name: 'Requests', x: 0, y: 0, w: 6, h: 3, config };

type Api = Awaited<ReturnType<typeof openLive>>['observability'];

const read = async (observability: Api, at: string) =>
  (await observability<LiveDashboard>('GET', at)).body.data;

const alertIds = async (observability: Api) =>
  (await observability<readonly LiveAlert[]>('GET', '/api/v2/alerts')).body.data.map(
    ({ id }) => id,
  );

describe('PUT of a dashboard in the live sandbox', () => {
  it('changes nothing when the whole answer of GET is sent back', async () => {
    const { observability } = await openLive();
    const before = await read(observability, api);
    const alerts = await alertIds(observability);
    expect((await observability('PUT', api, before)).body).toEqual({ data: before });
    expect(await read(observability, api)).toEqual(before);
    expect(await alertIds(observability)).toEqual(alerts);
  });

  it('makes a new tile of one that comes without its identifier, and deletes its alerts', async () => {
    const { observability } = await openLive();
    const { tiles, tags } = await read(observability, api);
    const before = await alertIds(observability);
    const sent = tiles.map(({ id, ...rest }) =>
      id === main.tiles.apiErrors ? rest : { id, ...rest },
    );
    const { data } = (await observability<LiveDashboard>('PUT', api, { name: 'API', tiles: sent }))
      .body;
    expect(data).toMatchObject({ name: 'API', tags, tiles: sent });
    const ids = data.tiles.map(({ id }) => id);
    expect(ids).toEqual(tiles.map(({ id }, index) => (index === 1 ? ids[1] : id)));
    expect(ids[1]).not.toBe(main.tiles.apiErrors);
    expect(await alertIds(observability)).toEqual(
      before.filter((id) => id !== main.alerts.errorRate),
    );
  });

  it('deletes the alerts of tiles that are left out, and of no other dashboard', async () => {
    const { observability } = await openLive();
    await observability('PUT', api, { name: 'API', tiles: [] });
    expect(await alertIds(observability)).toHaveLength(9);
  });

  it('keeps in which container and tab a tile is', async () => {
    const { observability } = await openLive();
    const placed = { ...tile, containerId: 'c1', tabId: 't1' };
    await observability('PUT', api, { name: 'API', tiles: [placed, tile] });
    const [first, second] = (await read(observability, api)).tiles;
    expect(first).toMatchObject({ containerId: 'c1', tabId: 't1' });
    expect(second).not.toHaveProperty('containerId');
  });

  it('refuses what POST refuses, and an unknown dashboard', async () => {
    const { observability } = await openLive();
    const before = await read(observability, api);
    const reply = await observability('PUT', api, { name: 'API', tiles: [{ ...tile, w: 25 }] });
    expect(reply.body).toEqual({ message: 'tiles[0].w must be an integer from 1 to 24' });
    expect(await read(observability, api)).toEqual(before);
    const unknown = await observability('PUT', `${path}/${main.dashboards.gone}`, before);
    expect([unknown.status, unknown.text]).toEqual([404, 'Not Found']);
  });
});

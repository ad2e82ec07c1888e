import { describe, expect, it } from 'vitest';
import type { Alert, Dashboard } from '../../sandbox/observability/shapes.ts';
import { credentials, open, world } from '../support/sandbox/harness.ts';

const { main, second } = world.observability;
const path = '/api/v2/dashboards';
const tile = {
  name: 'Requests',
  x: 0,
  y: 0,
  w: 6,
  h: 3,
  asRatio: false,
  series: [{ type: 'time', dataSource: 'events', aggFn: 'count', where: '', groupBy: ['service'] }],
};

describe('dashboard creation', () => {
  it('assigns identifiers to the dashboard and its tiles', async () => {
    const { observability } = await open();
    const body = { name: 'New', tiles: [{ ...tile, id: 'ignored' }, tile], tags: ['a'] };
    const reply = await observability<Dashboard>('POST', path, body);
    expect(reply.status).toBe(200);
    expect(Object.keys(reply.body)).toEqual(['data']);
    expect(reply.body.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: 'New',
      tiles: [
        { id: expect.stringMatching(/^tile-[0-9a-f]{16}$/), ...tile },
        { id: expect.stringMatching(/^tile-[0-9a-f]{16}$/), ...tile },
      ],
      tags: ['a'],
    });
    const [one, other] = reply.body.data.tiles;
    expect(one?.id).not.toBe(other?.id);
    const read = await observability('GET', `${path}/${reply.body.data.id}`);
    expect(read.body.data).toEqual(reply.body.data);
  });

  it('needs only a name', async () => {
    const { observability } = await open();
    const reply = await observability('POST', path, { name: 'Bare', tiles: null });
    expect(reply.body.data).toMatchObject({ name: 'Bare', tiles: [], tags: [] });
  });

  it.each([
    [{}, 'name is required'],
    [{ name: 7 }, 'name must be a string'],
    [{ name: 'x', tags: 'a' }, 'tags must be an array'],
    [{ name: 'x', tags: [1] }, 'tags[0] must be a string'],
    [{ name: 'x', tiles: [null] }, 'tiles[0] must be an object'],
    [{ name: 'x', tiles: [{ ...tile, w: '6' }] }, 'tiles[0].w must be an integer'],
    [{ name: 'x', tiles: [{ ...tile, x: 0.5 }] }, 'tiles[0].x must be an integer'],
    [{ name: 'x', tiles: [{ ...tile, asRatio: 0 }] }, 'tiles[0].asRatio must be a boolean'],
    [{ name: 'x', tiles: [{ series: [{ type: 1 }] }] }, 'tiles[0].series[0].type must be a string'],
  ])('refuses %j', async (body, message) => {
    const { observability } = await open();
    const reply = await observability('POST', path, body);
    expect([reply.status, reply.body]).toEqual([400, { message }]);
  });
});

describe('dashboard deletion', () => {
  it('answers an empty object, and takes the alerts along', async () => {
    const { observability } = await open();
    const reply = await observability('DELETE', `${path}/${main.dashboards.api}`);
    expect([reply.status, reply.text]).toEqual([200, '{"data":{}}']);
    const gone = await observability('GET', `${path}/${main.dashboards.api}`);
    expect([gone.status, gone.body]).toEqual([404, { message: 'Dashboard not found' }]);

    const { data } = (await observability<readonly Alert[]>('GET', '/api/v2/alerts')).body;
    expect(data.map(({ id }) => id)).toEqual([
      main.alerts.lag,
      main.alerts.failures,
      main.alerts.rows,
      main.alerts.checkoutFailures,
      main.alerts.unnamed,
      main.alerts.search,
      main.alerts.dangling,
    ]);
  });

  it.each([main.dashboards.gone, second.dashboards.meters, 'nonsense'])(
    'of %s, which it does not know, answers 200 without data',
    async (id) => {
      const { observability } = await open();
      const reply = await observability('DELETE', `${path}/${id}`);
      expect([reply.status, reply.text]).toEqual([200, '{}']);
      const alerts = await observability<readonly Alert[]>('GET', '/api/v2/alerts');
      expect(alerts.body.data).toHaveLength(10);
    },
  );
});

describe('teams', () => {
  const other = credentials.observability.second.header;

  it('each sees its own dashboards', async () => {
    const { observability } = await open();
    const one = await observability<readonly Dashboard[]>('GET', path);
    expect(one.body.data.map(({ id }) => id)).toEqual([
      main.dashboards.api,
      main.dashboards.ingestion,
      main.dashboards.checkout,
    ]);
    const two = await observability<readonly Dashboard[]>('GET', path, undefined, other);
    expect(two.body.data.map(({ id }) => id)).toEqual([second.dashboards.meters]);
  });

  it('do not see or delete what the other has made', async () => {
    const { observability } = await open();
    const made = await observability<Dashboard>('POST', path, { name: 'Ours' });
    const ours = `${path}/${made.body.data.id}`;
    expect((await observability('GET', ours, undefined, other)).status).toBe(404);
    expect((await observability('DELETE', ours, undefined, other)).text).toBe('{}');
    expect((await observability('GET', ours)).status).toBe(200);
  });
});

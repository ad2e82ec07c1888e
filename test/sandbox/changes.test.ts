import { describe, expect, it } from 'vitest';
import { liveWorld } from '../../sandbox/live/world/ids.ts';
import type { SandboxOptions } from '../../sandbox/server.ts';
import {
  createClock,
  credentials,
  open,
  organization,
  pipe,
  service,
  world,
} from '../support/sandbox/harness.ts';

const { main, second } = world.observability;
const { admin, developer } = credentials.management;
const clickstream = pipe('production', 'clickstream');
const orders = pipe('production', 'orders');
const digestOf = (text: string): Promise<string> =>
  crypto.subtle
    .digest('SHA-256', new TextEncoder().encode(text))
    .then((bytes) => Buffer.from(bytes).toString('base64'));

// biome-ignore lint/suspicious/noExplicitAny: records of every kind are looked into
type Any = any;

const start = async (options: SandboxOptions = {}) => {
  const clock = createClock();
  const sandbox = await open({ clock: clock.read, transitionMs: 1000, ...options });
  /** The status and what was answered, of either interface. */
  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    header?: string,
  ): Promise<[number, Any]> => {
    const send = path.startsWith('/v1') ? sandbox.management<Any> : sandbox.observability<Any>;
    const reply: { status: number; body: Any } = await send(method, path, body, header);
    const { status, body: answer } = reply;
    return [status, answer.result ?? answer.data ?? answer.error ?? answer];
  };
  const read = async (path: string): Promise<Any> => (await ask('GET', path))[1];
  return { clock, ask, read };
};

describe('keys', () => {
  const keys = `${organization}/keys`;

  it('work at once, as those who made them asked', async () => {
    const { clock, ask } = await start();
    const statusOf = async (asked: object) => {
      const [, { keyId, keySecret }] = await ask('POST', keys, {
        name: 'x',
        roles: ['admin'],
        ...asked,
      });
      const header = `Basic ${btoa(`${keyId}:${keySecret}`)}`;
      return async () => (await ask('PATCH', organization, {}, header))[0];
    };
    for (const [asked, status] of [
      [{}, 200],
      [{ expireAt: '' }, 200],
      [{ state: 'disabled' }, 401],
      [{ roles: ['developer'] }, 403],
      [{ ipAccessList: [{ source: '127.0.0.0/8' }] }, 200],
      [{ ipAccessList: [{ source: '10.0.0.0/8' }] }, 403],
    ] as const) {
      expect([asked, await (await statusOf(asked))()]).toEqual([asked, status]);
    }
    const expiring = await statusOf({ expireAt: '2026-11-21T14:00:01+02:00' });
    clock.advance(999);
    expect(await expiring()).toBe(200);
    clock.advance(1);
    expect(await expiring()).toBe(401);
  });

  it('whose halves the caller made are not shown, and work', async () => {
    const { ask } = await start();
    const hashData = {
      keyIdHash: await digestOf('my-id'),
      keyIdSuffix: 'y-id',
      keySecretHash: await digestOf('my-secret'),
    };
    const body = { name: 'x', roles: ['admin'], hashData };
    const [, made] = await ask('POST', keys, body);
    expect(made).toEqual({ key: expect.objectContaining({ keySuffix: 'y-id' }) });
    const header = `Basic ${btoa('my-id:my-secret')}`;
    expect((await ask('GET', organization, undefined, header))[0]).toBe(200);
    expect((await ask('POST', keys, body))[0]).toBe(409);
  });

  it('of ClickHouse Cloud are made with identifiers of roles, and stop working once deleted', async () => {
    const { ask } = await start({ profile: 'live' });
    const [, made] = await ask('POST', keys, {
      name: 'x',
      assignedRoleIds: [liveWorld.roles.admin],
    });
    expect(made.key).toMatchObject({ state: 'enabled', expireAt: '', roles: ['admin'] });
    const header = `Basic ${btoa(`${made.keyId}:${made.keySecret}`)}`;
    expect((await ask('GET', organization, undefined, header))[0]).toBe(200);
    expect((await ask('DELETE', `${keys}/${made.key.id}`))[0]).toBe(200);
    expect((await ask('GET', organization, undefined, header))[0]).toBe(401);
    const foreign = `${keys}/${world.management.second.keys.admin}`;
    expect((await ask('DELETE', foreign))[0]).toBe(404);
  });
});

it('an organization is changed by an admin alone, and seen by its own keys alone', async () => {
  const { ask, read } = await start();
  const endpoint = { id: 'vpce-new', description: 'New' };
  const change = {
    privateEndpoints: { add: [endpoint], remove: [{ id: 'vpce-0a41c7d2e9b85f310' }] },
  };
  expect((await ask('PATCH', organization, change, developer.header))[0]).toBe(403);
  const [, changed] = await ask('PATCH', organization, change);
  expect(changed.privateEndpoints).toEqual([
    expect.objectContaining({ id: 'vpce-0f92b6a3c1d74e856' }),
    endpoint,
  ]);
  expect(await read(organization)).toEqual(changed);
  const { header } = credentials.management.second;
  for (const path of [organization, `${organization}/services`, service('production')]) {
    expect((await ask('GET', path, undefined, header))[0]).toBe(404);
  }
  const foreign = world.management.second.services.production;
  expect((await ask('GET', `${organization}/services/${foreign}`))[0]).toBe(404);
  expect((await ask('GET', clickstream.replace('pipes/', 'pipes/0')))[0]).toBe(400);
});

describe('pipes', () => {
  it.each([
    ['stop', clickstream, 'Stopping', 'Stopped'],
    ['stop', pipe('staging', 'stagingClickstream'), 'Stopping', 'Stopped'],
    ['start', pipe('trial', 'crm'), 'Provisioning', 'Running'],
    ['start', pipe('staging', 'stagingClickstream'), 'Provisioning', 'Running'],
    ['resync', orders, 'Resync', 'Running'],
  ])('rule 5: %s of %s goes through %s to %s by the clock', async (command, path, through, to) => {
    const { clock, ask, read } = await start();
    expect(await ask('PATCH', `${path}/state`, { anyName: command })).toMatchObject([
      200,
      { state: through },
    ]);
    clock.advance(999);
    expect((await read(path)).state).toBe(through);
    clock.advance(1);
    expect((await read(path)).state).toBe(to);
    expect(await read(path.slice(0, path.lastIndexOf('/')))).toContainEqual(await read(path));
  });

  it('rule 5: are not started while they run or change', async () => {
    const { ask } = await start();
    const because = 'CONFLICT: start is allowed in state Stopped or Failed, the pipe is';
    const command = (name: string) => ask('PATCH', `${clickstream}/state`, { command: name });
    expect(await command('start')).toEqual([409, `${because} Running`]);
    await command('stop');
    expect(await command('start')).toEqual([409, `${because} Stopping`]);
  });

  it('rule 6: come up with defaults, and forget their secrets', async () => {
    const { clock, ask, read } = await start();
    const canary = { username: 'canary', password: 'canary' };
    const key = { accessKeyId: 'canary', secretKey: 'canary' };
    for (const source of [
      {
        kafka: {
          brokers: 'b',
          credentials: canary,
          schemaRegistry: { url: 'r', credentials: canary },
        },
      },
      { objectStorage: { url: 's', accessKey: key } },
      { kinesis: { streamName: 's', accessKey: key } },
      { postgres: { host: 'h', credentials: canary } },
    ]) {
      const body = {
        name: 'n',
        source: { ...source, validateSamples: true },
        destination: { roles: ['canary'] },
      };
      const pipes = `${service('production')}/pipes`;
      const [, made] = await ask('POST', pipes, body);
      expect(made).toMatchObject({
        state: 'Provisioning',
        scaling: { replicas: 1, replicaMemoryGb: 1 },
      });
      await ask('PATCH', `${pipes}/${made.id}`, { source });
      clock.advance(1000);
      const after = await read(`${pipes}/${made.id}`);
      expect(after.state).toBe('Running');
      expect(JSON.stringify([made, after])).not.toMatch(
        /canary|credentials|accessKey|validate|roles/,
      );
    }
  });

  it('rule 7: change what may be changed, and nothing else', async () => {
    const { ask, read } = await start();
    const { source, ...before } = await read(orders);
    const [gone, kept] = source.postgres.tableMappings;
    const mapping = { sourceSchemaName: 'public', sourceTable: 'refunds', targetTable: 'refunds' };
    const changes = { tableMappingsToAdd: [mapping], tableMappingsToRemove: [gone] };
    const members = { name: null, state: 'Failed', scaling: { replicas: 9 } };
    await ask('PATCH', orders, { ...members, source: { postgres: { host: 'h', ...changes } } });
    const postgres = { ...source.postgres, host: 'h', tableMappings: [kept, mapping] };
    const updatedAt = '2026-11-21T12:00:00.000Z';
    expect(await read(orders)).toEqual({ ...before, source: { postgres }, updatedAt });
  });
});

describe('dashboards and alerts', () => {
  it('belong to a team: dashboards take their alerts along, and an update replaces an alert', async () => {
    const { ask, read } = await start();
    const { header } = credentials.observability.second;
    const alert = `/api/v2/alerts/${main.alerts.search}`;
    const dashboard = `/api/v2/dashboards/${main.dashboards.api}`;
    expect((await ask('GET', alert, undefined, header))[0]).toBe(404);
    expect(await ask('DELETE', dashboard, undefined, header)).toEqual([200, {}]);
    expect(await read('/api/v2/alerts')).toHaveLength(10);
    expect(await ask('PUT', alert, { threshold: 1 })).toMatchObject([
      200,
      { name: null, savedSearch: main.savedSearchId, groupBy: 'host' },
    ]);
    expect(await read(alert)).not.toHaveProperty('interval');
    await ask('DELETE', dashboard);
    expect((await ask('GET', dashboard))[0]).toBe(404);
    expect(await read('/api/v2/alerts')).toHaveLength(7);
  });

  it('of HyperDX come in pages, lose what an update leaves out, and tiles their identifiers', async () => {
    const { ask, read } = await start({ profile: 'live' });
    expect(await read('/api/v2/alerts?limit=4&offset=9')).toHaveLength(3);
    for (const id of [liveWorld.alerts.slowQueries, main.alerts.errorRate]) {
      const before = await read(`/api/v2/alerts/${id}`);
      const [, after] = await ask('PUT', `/api/v2/alerts/${id}`, before);
      expect(after).toEqual({ ...before, updatedAt: after.updatedAt });
    }
    const slow = await read(`/api/v2/alerts/${liveWorld.alerts.slowQueries}`);
    const { name: _, note: __, ...rest } = slow;
    const [, less] = await ask('PUT', `/api/v2/alerts/${slow.id}`, rest);
    expect(less).toEqual({ ...slow, name: null, note: null, updatedAt: less.updatedAt });

    const path = `/api/v2/dashboards/${main.dashboards.api}`;
    const board = await read(path);
    expect((await ask('PUT', path, board))[1]).toEqual(board);
    const tiles = board.tiles.map(({ id, ...tile }: Any) =>
      id === main.tiles.apiErrors ? tile : { id, ...tile },
    );
    const [, renewed] = await ask('PUT', path, { name: 'API', tiles });
    expect(renewed.tiles[1].id).not.toBe(main.tiles.apiErrors);
    const left = await read('/api/v2/alerts');
    expect(left).toHaveLength(11);
    expect(left.map(({ id }: Any) => id)).not.toContain(main.alerts.errorRate);
    const foreign = `/api/v2/dashboards/${second.dashboards.meters}`;
    expect((await ask('GET', foreign))[0]).toBe(404);
  });

  it('of HyperDX take series, and answer them as a config', async () => {
    const { ask } = await start({ profile: 'live' });
    const pairs = [
      [
        { type: 'time', groupBy: ['c', 'd'] },
        { displayType: 'line', groupBy: 'c, d' },
      ],
      [{ type: 'table', groupBy: [] }, { displayType: 'table' }],
      [{ type: 'number' }, { displayType: 'number' }],
      [
        { type: 'search', fields: ['a', 'b'] },
        { displayType: 'search', select: 'a, b' },
      ],
      [
        { type: 'markdown', content: '# A' },
        { displayType: 'markdown', markdown: '# A' },
      ],
    ] as const;
    const common = { sourceId: liveWorld.sources.logs, aggFn: 'count', where: '' };
    const tiles = pairs.map(([series]) => {
      return { name: 'Old', x: 0, y: 0, w: 6, h: 3, series: [{ ...common, ...series }] };
    });
    const [, made] = await ask('POST', '/api/v2/dashboards', { name: 'New', tiles });
    expect(made.tiles.map((tile: Any) => tile.config)).toMatchObject(
      pairs.map(([, config]) => config),
    );
    expect(made.tiles[0]).not.toHaveProperty('series');
  });
});

describe('ClickHouse Cloud', () => {
  const clickpipes = `${service('production')}/clickpipes`;

  it('has the pipes of the reference under other names of settings, and one for each further source', async () => {
    const reference = await start();
    const live = await start({ profile: 'live' });
    const kinds = new Set<string>();
    for (const name of ['production', 'staging', 'trial'] as const) {
      const pipes = new Map<string, Any>();
      for (const each of await live.read(`${service(name)}/clickpipes`)) {
        pipes.set(each.id, each);
        for (const [kind, arm] of Object.entries(each.source)) if (arm !== null) kinds.add(kind);
      }
      for (const { settings, scaling: _, ...rest } of await reference.read(
        `${service(name)}/pipes`,
      )) {
        const renamed = Object.entries(settings).map(([key, value]) => [
          key.replace('engine_', 'clickhouse_'),
          value,
        ]);
        const found = pipes.get(rest.id);
        expect(found).toMatchObject({ ...rest, settings: Object.fromEntries(renamed) });
      }
    }
    expect([...kinds].sort()).toEqual([
      ...['bigquery', 'kafka', 'kinesis', 'mongodb', 'mysql'],
      ...['objectStorage', 'postgres', 'pubsub'],
    ]);
    expect((await live.ask('GET', orders))[0]).toBe(404);
  });

  it('keeps settings and scaling of a pipe at paths of their own', async () => {
    const { ask, read } = await start({ profile: 'live' });
    const { archive } = world.management.main.pipes;
    const path = `${clickpipes}/${archive}`;
    const before = await read(`${path}/settings`);
    await ask('PATCH', path, { settings: { clickhouse_max_threads: 9 }, scaling: { replicas: 9 } });
    expect(await read(`${path}/settings`)).toEqual(before);
    await ask('PUT', `${path}/settings`, { clickhouse_max_insert_threads: 2 });
    expect((await read(path)).settings).toEqual({ ...before, clickhouse_max_insert_threads: 2 });
    await ask('PATCH', `${path}/scaling`, { replicas: 6 });
    expect((await read(path)).scaling.replicas).toBe(6);
    const events = `${service('trial')}/clickpipes/${liveWorld.pipes.events}/settings`;
    await ask('PUT', events, { clickhouse_max_threads: 2 });
    expect(await read(events)).toEqual({ clickhouse_max_threads: 2 });
    const { orders: copying } = world.management.main.pipes;
    expect((await ask('GET', `${clickpipes}/${copying}/settings`))[0]).toBe(404);
    expect((await ask('DELETE', path))[0]).toBe(200);
    expect((await ask('GET', path))[0]).toBe(404);
  });

  it('pauses pipes that copy a database, which can be started before they have stopped', async () => {
    const { clock, ask, read } = await start({ profile: 'live' });
    const path = `${clickpipes}/${world.management.main.pipes.orders}`;
    const command = async (name: string) =>
      (await ask('PATCH', `${path}/state`, { command: name }))[1].state;
    expect([await command('stop'), await command('start')]).toEqual(['Pausing', 'Provisioning']);
    await command('stop');
    clock.advance(1000);
    expect((await read(path)).state).toBe('Paused');
    expect(await command('start')).toBe('Provisioning');
  });

  it('stops and starts services by the clock, whose pipes are a 424 until they run', async () => {
    const { clock, ask, read } = await start({ profile: 'live' });
    const path = service('production');
    const command = async (name: string) =>
      (await ask('PATCH', `${path}/state`, { command: name }))[1].state;
    const pipes = async () => {
      const replies = [
        await ask('GET', clickpipes),
        await ask('POST', clickpipes, {}),
        await ask('DELETE', `${clickpipes}/${world.management.main.pipes.clickstream}`),
      ];
      return new Set(replies.map(([status]) => status));
    };
    expect(await command('stop')).toBe('stopping');
    expect(await pipes()).toEqual(new Set([424]));
    clock.advance(1000);
    expect((await read(path)).state).toBe('stopped');
    expect(await pipes()).toEqual(new Set([424]));
    expect([await command('awake'), await command('start')]).toEqual(['awaking', 'awaking']);
    clock.advance(1000);
    expect((await read(path)).state).toBe('running');
    expect((await ask('GET', clickpipes))[0]).toBe(200);
    expect((await ask('GET', path, undefined, admin.header))[1]).toMatchObject({
      clickhouseVersion: '26.8',
    });
  });
});

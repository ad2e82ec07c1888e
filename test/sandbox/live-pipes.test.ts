import { describe, expect, it } from 'vitest';
import type { LivePipe } from '../../sandbox/live/management/pipe-shapes.ts';
import type { Pipe } from '../../sandbox/management/pipe-shapes.ts';
import { createClock, open, organization, service, world } from '../support/sandbox/harness.ts';
import { livePipe, liveWorld, openLive, pipesOf } from '../support/sandbox/live.ts';

const kinds = [
  'kafka',
  'objectStorage',
  'kinesis',
  'postgres',
  'mysql',
  'bigquery',
  'mongodb',
  'pubsub',
];
const serviceNames = ['production', 'reporting', 'staging', 'trial'] as const;

const allPipes = async (management: Awaited<ReturnType<typeof openLive>>['management']) => {
  const lists = await Promise.all(
    serviceNames.map((name) => management<readonly LivePipe[]>('GET', pipesOf(name))),
  );
  return lists.flatMap(({ body }) => body.result);
};

describe('pipes of the live sandbox', () => {
  it('are those of the reference, and one for each further source', async () => {
    const { management } = await openLive();
    const pipes = await allPipes(management);
    const ids = [...Object.values(world.management.main.pipes), ...Object.values(liveWorld.pipes)];
    expect(new Set(pipes.map(({ id }) => id))).toEqual(new Set(ids));
    const shown = pipes.map(({ source }) => {
      expect(Object.keys(source).sort()).toEqual([...kinds].sort());
      return Object.entries(source).flatMap(([kind, arm]) => (arm === null ? [] : [kind]));
    });
    expect(shown.every((given) => given.length === 1)).toBe(true);
    expect(new Set(shown.flat())).toEqual(new Set(kinds));
  });

  it('are read singly as in the list', async () => {
    const { management } = await openLive();
    for (const pipe of await allPipes(management)) {
      const path = `${organization}/services/${pipe.serviceId}/clickpipes/${pipe.id}`;
      expect((await management('GET', path)).body.result).toEqual(pipe);
    }
  });

  it('have all that the reference says of them, apart from the names of settings', async () => {
    const { management } = await openLive();
    const live = new Map((await allPipes(management)).map((pipe) => [pipe.id, pipe]));
    const reference = await open();
    for (const name of serviceNames) {
      const { result } = (
        await reference.management<readonly Pipe[]>('GET', `${service(name)}/pipes`)
      ).body;
      for (const { settings, scaling, ...pipe } of result) {
        expect(live.get(pipe.id)).toMatchObject(pipe);
        const { replicaCpuMillicores: cpu, replicaMemoryGb: memory = 0 } = scaling;
        expect(live.get(pipe.id)?.scaling).toEqual(
          pipe.source.kinesis
            ? {
                ...scaling,
                replicaCpuMillicores: `${cpu}m`,
                replicaMemoryGb: String(memory * 2 ** 30),
              }
            : scaling,
        );
        const renamed = Object.entries(settings).map(([key, value]) => [
          key.replace('engine_', 'clickhouse_'),
          value,
        ]);
        expect(live.get(pipe.id)?.settings).toEqual(Object.fromEntries(renamed));
      }
    }
  });

  it.each([
    [
      'clickstream',
      'production',
      {
        kafka: {
          type: 'kafka',
          format: 'AvroConfluent',
          authentication: 'PLAIN',
          offset: { strategy: 'from_timestamp' },
          schemaRegistry: { authentication: 'PLAIN' },
        },
      },
    ],
    [
      'stagingClickstream',
      'staging',
      {
        kafka: {
          format: 'JSONEachRow',
          authentication: 'IAM_ROLE',
          offset: { strategy: 'from_latest' },
        },
      },
    ],
    [
      'archive',
      'production',
      { objectStorage: { type: 's3', format: 'CSV', authentication: 'IAM_ROLE' } },
    ],
    [
      'invoices',
      'staging',
      {
        objectStorage: {
          type: 'azureblobstorage',
          format: 'JSONEachRow',
          authentication: 'CONNECTION_STRING',
        },
      },
    ],
    [
      'telemetry',
      'production',
      {
        kinesis: {
          format: 'JSONEachRow',
          iteratorType: 'AT_TIMESTAMP',
          authentication: 'IAM_ROLE',
        },
      },
    ],
    [
      'orders',
      'production',
      {
        postgres: {
          type: 'postgres',
          settings: { replicationMode: 'cdc' },
          tableMappings: [{ tableEngine: 'ReplacingMergeTree' }, {}],
        },
      },
    ],
    [
      'shop',
      'production',
      { mysql: { type: 'auroramysql', settings: { replicationMechanism: 'GTID' } } },
    ],
    ['warehouse', 'production', { bigquery: { tableMappings: [{ sourceDatasetName: 'sales' }] } }],
    ['profiles', 'staging', { mongodb: { tableMappings: [{ sourceCollection: 'people' }] } }],
    ['events', 'trial', { pubsub: { seekType: 'timestamp', ackDeadline: 60 } }],
  ] as const)('tell the kind of source of %s', async (name, serviceName, source) => {
    const { management } = await openLive();
    const { result } = (await management('GET', livePipe(serviceName, name))).body;
    expect(result).toMatchObject({ source });
  });

  it('are deleted with an answer that has no result', async () => {
    const { management } = await openLive();
    const path = livePipe('production', 'shop');
    const reply = await management('DELETE', path);
    expect(reply.status).toBe(200);
    expect(Object.keys(reply.body).sort()).toEqual(['requestId', 'status']);
    for (const method of ['GET', 'DELETE']) {
      const gone = await management(method, path);
      expect([gone.status, gone.body.error]).toEqual([404, 'NOT_FOUND: pipe not found']);
    }
    expect((await allPipes(management)).map(({ id }) => id)).not.toContain(liveWorld.pipes.shop);
  });

  it('are scaled by a route of their own', async () => {
    const { management } = await openLive();
    const path = livePipe('production', 'clickstream');
    const reply = await management<LivePipe>('PATCH', `${path}/scaling`, { replicas: 6 });
    expect(reply.body.result.scaling).toEqual({
      replicas: 6,
      concurrency: 2,
      replicaCpuMillicores: 500,
      replicaMemoryGb: 2,
    });
    expect((await management('GET', path)).body.result).toEqual(reply.body.result);
    // Not a part of the update: the service ignores it there.
    await management('PATCH', path, { scaling: { replicas: 1 } });
    expect((await management<LivePipe>('GET', path)).body.result.scaling.replicas).toBe(6);
  });

  it.each([
    [{}, 'the body must have replicas, replicaCpuMillicores or replicaMemoryGb'],
    [{ replicas: 41 }, 'replicas must be an integer from 1 to 40'],
    [{ replicaCpuMillicores: 100 }, 'replicaCpuMillicores must be an integer from 125 to 2000'],
    [{ replicaMemoryGb: 9 }, 'replicaMemoryGb must be a number from 0.5 to 8'],
    [{ replicaMemoryGb: '2Gi' }, 'replicaMemoryGb must be a number'],
  ])('are not scaled with %j', async (body, sentence) => {
    const { management } = await openLive();
    const reply = await management('PATCH', `${livePipe('trial', 'events')}/scaling`, body);
    expect([reply.status, reply.body.error]).toEqual([400, `BAD_REQUEST: ${sentence}`]);
  });

  it('change what is given, under the live names', async () => {
    const { management } = await openLive();
    const path = livePipe('production', 'orders');
    const added = {
      sourceSchemaName: 'public',
      sourceTable: 'refunds',
      targetTable: 'public_refunds',
      tableEngine: 'MergeTree',
    };
    const before = (await management<LivePipe>('GET', path)).body.result;
    const { result } = (
      await management<LivePipe>('PATCH', path, {
        // Not a part of the update: the service ignores it there.
        settings: { clickhouse_max_insert_threads: 2 },
        source: { postgres: { tlsHost: 'pg.northwind.example', tableMappingsToAdd: [added] } },
      })
    ).body;
    expect(result.settings).toEqual(before.settings);
    expect(result.source.postgres).toEqual({
      ...before.source.postgres,
      tlsHost: 'pg.northwind.example',
      tableMappings: [...(before.source.postgres?.tableMappings ?? []), added],
    });
    expect((await management('GET', path)).body.result).toEqual(result);
  });

  it('have settings at a path of their own, under the live names', async () => {
    const { management } = await openLive();
    const path = livePipe('production', 'archive');
    const own = async () => (await management<object>('GET', `${path}/settings`)).body.result;
    const before = await own();
    expect((await management<LivePipe>('GET', path)).body.result.settings).toEqual(before);
    const [first = ''] = Object.keys(before);
    const reply = await management<object>('PUT', `${path}/settings`, {
      clickhouse_max_insert_threads: 2,
      // The name of the reference is unknown here, and is ignored without a word.
      engine_max_threads: 1,
      [first]: null,
    });
    const { [first]: _, ...kept } = before as Record<string, unknown>;
    expect(reply.body.result).toEqual({ ...kept, clickhouse_max_insert_threads: 2 });
    expect(await own()).toEqual(reply.body.result);
    expect((await management<LivePipe>('GET', path)).body.result.settings).toEqual(await own());
  });

  it('lose the settings that are left out where their source is streamed', async () => {
    const { management } = await openLive();
    const path = `${livePipe('trial', 'events')}/settings`;
    const settings = { clickhouse_max_threads: 2 };
    expect((await management('PUT', path, settings)).body.result).toEqual(settings);
    expect((await management('GET', path)).body.result).toEqual(settings);
  });

  it.each([
    ['orders', 'GET', undefined, '404 NOT_FOUND: this pipe has no settings'],
    ['shop', 'PUT', {}, '404 NOT_FOUND: this pipe has no settings'],
    [
      'archive',
      'PUT',
      { streaming_max_insert_wait_ms: 1 },
      '400 BAD_REQUEST: streaming_max_insert_wait_ms does not fit the source of this pipe',
    ],
    ['archive', 'PUT', [], '400 BAD_REQUEST: the body must be an object'],
  ] as const)('refuse settings that %s does not have: %s %j', async (name, method, body, told) => {
    const { management } = await openLive();
    const reply = await management(method, `${livePipe('production', name)}/settings`, body);
    expect(`${reply.status} ${reply.body.error}`).toBe(told);
  });

  it('that follow a database stop in Paused, and can be started before', async () => {
    const clock = createClock();
    const { management } = await openLive({ clock: clock.read, transitionMs: 1000 });
    const path = livePipe('production', 'orders');
    const command = async (name: string) =>
      (await management<LivePipe>('PATCH', `${path}/state`, { command: name })).body.result?.state;
    expect(await command('stop')).toBe('Pausing');
    expect(await command('start')).toBe('Provisioning');
    expect(await command('stop')).toBe('Pausing');
    clock.advance(1000);
    expect((await management<LivePipe>('GET', path)).body.result.state).toBe('Paused');
    expect(await command('start')).toBe('Provisioning');
  });

  it('of a further source cannot be changed in the sandbox, apart from their name', async () => {
    const { management } = await openLive();
    const path = livePipe('production', 'shop');
    const reply = await management('PATCH', path, { source: { mysql: { host: 'x' } } });
    expect(reply.body.error).toBe('BAD_REQUEST: source.mysql cannot be changed in this sandbox');
    const renamed = await management<LivePipe>('PATCH', path, { name: 'carts' });
    expect(renamed.body.result.name).toBe('carts');
  });

  it.each([
    ['shop', 'production', 200],
    ['profiles', 'staging', 200],
    ['orders', 'production', 200],
    ['events', 'trial', 400],
    ['clickstream', 'production', 400],
  ] as const)('synchronize anew, or not: %s', async (name, serviceName, status) => {
    const { management } = await openLive();
    const path = `${livePipe(serviceName, name)}/state`;
    expect((await management('PATCH', path, { command: 'resync' })).status).toBe(status);
  });

  it('stop and start by the clock', async () => {
    const clock = createClock();
    const { management } = await openLive({ clock: clock.read, transitionMs: 1000 });
    const path = livePipe('production', 'clickstream');
    const command = async (name: string) =>
      (await management<LivePipe>('PATCH', `${path}/state`, { command: name })).body.result?.state;
    const state = async () => (await management<LivePipe>('GET', path)).body.result.state;
    expect(await command('stop')).toBe('Stopping');
    clock.advance(1000);
    expect(await state()).toBe('Stopped');
    expect(await command('start')).toBe('Provisioning');
    expect(await command('start')).toBeUndefined();
    clock.advance(1000);
    expect(await state()).toBe('Running');
  });
});

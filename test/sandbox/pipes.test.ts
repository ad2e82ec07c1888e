import { describe, expect, it } from 'vitest';
import type { Pipe } from '../../sandbox/management/pipe-shapes.ts';
import { createClock, open, pipe, service } from '../support/sandbox/harness.ts';

const pipes = `${service('production')}/pipes`;

const columns = [
  { name: 'id', type: 'UUID' },
  { name: 'at', type: 'DateTime' },
];
const fieldMappings = [
  { sourceField: 'a', destinationField: 'id' },
  { sourceField: 'b', destinationField: 'at' },
];
const source = { kafka: { brokers: 'b:9092', topics: 't' } };
const good = { name: 'new', source, destination: { columns }, fieldMappings };

/** One body for each kind of source, with a canary in every secret place. */
const secretive = {
  kafka: {
    kafka: {
      brokers: 'b:9092',
      credentials: { username: 'canary', password: 'canary' },
      schemaRegistry: { url: 'https://r', credentials: { username: 'canary', password: 'canary' } },
    },
  },
  objectStorage: {
    objectStorage: {
      url: 'https://s/*',
      accessKey: { accessKeyId: 'canary', secretKey: 'canary' },
    },
  },
  kinesis: {
    kinesis: { streamName: 's', accessKey: { accessKeyId: 'canary', secretKey: 'canary' } },
  },
  postgres: {
    postgres: { host: 'h', port: 5432, credentials: { username: 'canary', password: 'canary' } },
  },
} as const;

describe('the pipe list', () => {
  it('has all four kinds of source', async () => {
    const { management } = await open();
    const { result } = (await management<readonly Pipe[]>('GET', pipes)).body;
    expect(result.map((each) => [Object.keys(each.source)[0], each.state])).toEqual([
      ['kafka', 'Running'],
      ['postgres', 'Snapshot'],
      ['objectStorage', 'Completed'],
      ['kinesis', 'Running'],
    ]);
    expect((await management('GET', `${service('reporting')}/pipes`)).body.result).toEqual([]);
  });
});

describe('pipe creation (rule 6)', () => {
  it('answers the pipe with its defaults, and the list has it', async () => {
    const clock = createClock();
    const { management } = await open({ clock: clock.read });
    const reply = await management<Pipe>('POST', pipes, {
      ...good,
      settings: { engine_max_threads: 2 },
    });
    expect(reply.status).toBe(200);
    expect(reply.body.result).toEqual({
      ...good,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      serviceId: service('production').split('/').at(-1),
      state: 'Provisioning',
      scaling: {
        replicas: 1,
        concurrency: 1,
        replicaCpuMillicores: 250,
        replicaMemoryGb: 1,
      },
      settings: { engine_max_threads: 2 },
      createdAt: '2026-11-21T12:00:00.000Z',
      updatedAt: '2026-11-21T12:00:00.000Z',
    });
    const list = await management<readonly Pipe[]>('GET', pipes);
    expect(list.body.result.at(-1)).toEqual(reply.body.result);
  });

  it.each(Object.keys(secretive) as (keyof typeof secretive)[])(
    'forgets the secrets of a %s source',
    async (kind) => {
      const { management } = await open();
      const destination = { database: 'd', roles: ['canary'] };
      const body = {
        name: 'secretive',
        source: { ...secretive[kind], validateSamples: true },
        destination,
      };
      const made = await management<Pipe>('POST', pipes, body);
      expect(made.status).toBe(200);
      const path = `${pipes}/${made.body.result.id}`;
      const replies = [
        made,
        await management('PATCH', path, { source: { ...secretive[kind], validateSamples: false } }),
        await management('PATCH', `${path}/state`, { command: 'stop' }),
        await management('GET', path),
        await management('GET', pipes),
      ];
      for (const reply of replies) {
        expect(reply.status).toBe(200);
        expect(reply.text).not.toMatch(/canary|credentials|accessKey|validateSamples|"roles"/);
      }
    },
  );

  it('does not quote a secret in a refusal', async () => {
    const { management } = await open();
    const kafka = { credentials: { username: 'canary', password: ['canary'] } };
    const reply = await management('POST', pipes, { ...good, source: { kafka } });
    expect(reply.status).toBe(400);
    expect(reply.body.error).toBe(
      'BAD_REQUEST: source.kafka.credentials.password must be a string',
    );
  });

  const onlyOne = 'source must have exactly one of kafka, objectStorage, kinesis, postgres';
  it.each([
    [{ ...good, name: undefined }, 'name is required'],
    [{ ...good, source: undefined }, 'source is required'],
    [{ ...good, destination: undefined }, 'destination is required'],
    [{ ...good, source: {} }, onlyOne],
    [{ ...good, source: { validateSamples: true } }, onlyOne],
    [{ ...good, source: { ...source, kinesis: {} } }, onlyOne],
    [{ ...good, source: { kafka: null } }, onlyOne],
    [
      { ...good, fieldMappings: fieldMappings.slice(1) },
      'fieldMappings must include all destination columns',
    ],
    [{ ...good, fieldMappings: undefined }, 'fieldMappings must include all destination columns'],
    [{ ...good, fieldMappings: [{}] }, 'fieldMappings[0].sourceField is required'],
    [{ ...good, source: { kafka: { topics: ['t'] } } }, 'source.kafka.topics must be a string'],
    [
      { ...good, source: { objectStorage: { isContinuous: 'yes' } } },
      'source.objectStorage.isContinuous must be a boolean',
    ],
    [
      { ...good, source: { kinesis: { timestamp: '1' } } },
      'source.kinesis.timestamp must be an integer',
    ],
    [
      { ...good, source: { postgres: { tableMappings: [{ sourceTable: 't' }] } } },
      'source.postgres.tableMappings[0].sourceSchemaName is required',
    ],
    [
      { ...good, scaling: { replicaMemoryGb: '512Mi' } },
      'scaling.replicaMemoryGb must be a number',
    ],
    [{ ...good, scaling: { replicas: 1.5 } }, 'scaling.replicas must be an integer'],
    [
      { ...good, settings: { engine_max_threads: true } },
      'settings.engine_max_threads must be an integer',
    ],
    [
      { ...good, settings: { object_storage_use_cluster_function: 1 } },
      'settings.object_storage_use_cluster_function must be a boolean',
    ],
  ])('refuses %j', async (body, sentence) => {
    const { management } = await open();
    const reply = await management('POST', pipes, body);
    expect([reply.status, reply.body.error]).toEqual([400, `BAD_REQUEST: ${sentence}`]);
    expect((await management<readonly Pipe[]>('GET', pipes)).body.result).toHaveLength(4);
  });

  it('takes byte sizes beyond 32 bits and decimal memory', async () => {
    const { management } = await open();
    const settings = { object_storage_max_insert_bytes: 53_687_091_200 };
    const body = { ...good, settings, scaling: { replicaMemoryGb: 0.5 } };
    const { result } = (await management<Pipe>('POST', pipes, body)).body;
    expect(result.settings).toEqual(settings);
    expect(result.scaling.replicaMemoryGb).toBe(0.5);
  });
});

describe('pipe update (rule 7)', () => {
  const update = async (path: string, body: unknown) => {
    const clock = createClock();
    const { management } = await open({ clock: clock.read });
    const before = (await management<Pipe>('GET', path)).body.result;
    const reply = await management<Pipe>('PATCH', path, body);
    const after = (await management<Pipe>('GET', path)).body.result;
    return { before, reply, after };
  };
  const updatedAt = '2026-11-21T12:00:00.000Z';
  const clickstream = pipe('production', 'clickstream');
  const orders = pipe('production', 'orders');

  it.each([{}, { name: null }, { source: {} }, { scaling: { replicas: 9 } }, { state: 'Failed' }])(
    'changes nothing but updatedAt for %j',
    async (body) => {
      const { before, reply, after } = await update(clickstream, body);
      expect(reply.status).toBe(200);
      expect(after).toEqual({ ...before, updatedAt });
    },
  );

  it('changes name, columns, mappings and single settings', async () => {
    const { before, reply, after } = await update(clickstream, {
      name: 'renamed',
      destination: { columns, table: 'not to be changed' },
      fieldMappings: [],
      settings: { engine_max_threads: 2 },
    });
    expect(after).toEqual({
      ...before,
      name: 'renamed',
      destination: { ...before.destination, columns },
      fieldMappings: [],
      settings: { ...before.settings, engine_max_threads: 2 },
      updatedAt,
    });
    expect(reply.body.result).toEqual(after);
  });

  it.each([
    [clickstream, 'kafka', { iamRole: 'r', caCertificate: 'c', reversePrivateEndpointIds: [] }],
    [
      pipe('staging', 'invoices'),
      'objectStorage',
      { iamRole: 'r', connectionString: 'c', path: 'p', azureContainerName: 'a' },
    ],
    [pipe('production', 'telemetry'), 'kinesis', { iamRole: 'r' }],
    [orders, 'postgres', { host: 'h', port: 6432, database: 'd' }],
  ] as const)('changes the source of %s', async (path, kind, change) => {
    const { before, after } = await update(path, { source: { [kind]: change } });
    expect(after.source).toEqual({ [kind]: { ...before.source[kind], ...change } });
  });

  it('ignores what may be given only at creation', async () => {
    const { before, after } = await update(clickstream, { source: { kafka: { brokers: 'x' } } });
    expect(after.source).toEqual(before.source);
  });

  it('adds and removes table mappings and changes single Postgres settings', async () => {
    const { before, after } = await update(orders, {
      source: {
        postgres: {
          settings: { pullBatchSize: 5 },
          tableMappingsToAdd: [
            { sourceSchemaName: 'public', sourceTable: 'refunds', targetTable: 'refunds' },
          ],
          tableMappingsToRemove: [
            { sourceSchemaName: 'public', sourceTable: 'orders', targetTable: 'public_orders' },
            { sourceSchemaName: 'public', sourceTable: 'order_lines', targetTable: 'elsewhere' },
            {
              sourceSchemaName: 'public',
              sourceTable: 'unknown',
              targetTable: 'public_order_lines',
            },
            {
              sourceSchemaName: 'old',
              sourceTable: 'order_lines',
              targetTable: 'public_order_lines',
            },
          ],
        },
      },
    });
    expect(after.source.postgres?.tableMappings?.map((each) => each.targetTable)).toEqual([
      'public_order_lines',
      'refunds',
    ]);
    expect(after.source.postgres?.settings).toEqual({
      ...before.source.postgres?.settings,
      pullBatchSize: 5,
    });
    expect(JSON.stringify(after)).not.toContain('tableMappingsTo');
  });

  it.each([
    [{ source: { kafka: {}, kinesis: {} } }, 'source must have at most one kind'],
    [{ source: { kinesis: {} } }, 'source.kinesis does not fit the source of this pipe'],
    [{ name: 7 }, 'name must be a string'],
    [{ fieldMappings: {} }, 'fieldMappings must be an array'],
    [{ destination: { columns: [{ name: 'x' }] } }, 'destination.columns[0].type is required'],
    [{ source: { validateSamples: 'no' } }, 'source.validateSamples must be a boolean'],
  ])('refuses %j, and changes nothing', async (body, sentence) => {
    const { before, reply, after } = await update(clickstream, body);
    expect([reply.status, reply.body.error]).toEqual([400, `BAD_REQUEST: ${sentence}`]);
    expect(after).toEqual(before);
  });
});

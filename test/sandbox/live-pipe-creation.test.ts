import { describe, expect, it } from 'vitest';
import type { LivePipe } from '../../sandbox/live/management/pipe-shapes.ts';
import { openLive, pipesOf } from '../support/sandbox/live.ts';

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

const kafka = {
  type: 'redpanda',
  format: 'JSONEachRow',
  authentication: 'SCRAM-SHA-256',
  offset: { strategy: 'from_beginning' },
  credentials: { username: 'u', password: 'secret-of-the-caller' },
};
const table = { sourceSchemaName: 'a', sourceTable: 'b', targetTable: 'c' };
const destination = { database: 'd', table: 't', columns: [{ name: 'id', type: 'UUID' }] };
const fieldMappings = [{ sourceField: 'id', destinationField: 'id' }];

const given: Readonly<Record<string, object>> = {
  kafka,
  objectStorage: { type: 'gcs', format: 'Parquet', serviceAccountKey: 'secret-of-the-caller' },
  kinesis: { format: 'Avro', iteratorType: 'LATEST', authentication: 'IAM_USER' },
  postgres: { settings: { replicationMode: 'snapshot' }, tableMappings: [table] },
  mysql: {
    host: 'h',
    port: 3306,
    settings: { replicationMode: 'cdc' },
    tableMappings: [table],
    credentials: { username: 'u', password: 'secret-of-the-caller' },
  },
  bigquery: {
    snapshotStagingPath: 'gs://b',
    settings: { replicationMode: 'snapshot' },
    tableMappings: [],
    credentials: { serviceAccountFile: 'secret-of-the-caller' },
  },
  mongodb: {
    uri: 'mongodb://h',
    readPreference: 'primary',
    settings: { replicationMode: 'cdc' },
    tableMappings: [],
  },
  pubsub: {
    format: 'Avro',
    projectId: 'p',
    topic: 't',
    authentication: 'SERVICE_ACCOUNT',
    seekType: 'latest',
    serviceAccountKey: 'secret-of-the-caller',
  },
};

describe('creation of a pipe in the live sandbox', () => {
  it.each(Object.entries(given))(
    'takes a source of kind %s, and forgets its secrets',
    async (kind, arm) => {
      const { management } = await openLive();
      const body = { name: 'new', source: { [kind]: arm }, destination, fieldMappings };
      const reply = await management<LivePipe>('POST', pipesOf('trial'), body);
      expect(reply.body.error).toBeUndefined();
      const {
        credentials: _,
        serviceAccountKey: __,
        ...kept
      } = { credentials: 0, serviceAccountKey: 0, ...arm };
      expect(reply.body.result).toMatchObject({
        name: 'new',
        state: 'Provisioning',
        source: { [kind]: kept },
      });
      const read = await management('GET', `${pipesOf('trial')}/${reply.body.result.id}`);
      expect(read.text).not.toContain('secret-of-the-caller');
    },
  );

  const without = (kind: string, member: string) => {
    const { [member]: _, ...rest } = { ...given[kind], [member]: undefined };
    return { [kind]: rest };
  };

  it.each([
    ['kafka', ['type', 'format', 'authentication']],
    ['objectStorage', ['type', 'format']],
    ['kinesis', ['format', 'iteratorType', 'authentication']],
    ['postgres', ['settings', 'tableMappings']],
    ['mysql', ['host', 'port', 'settings', 'tableMappings']],
    ['mongodb', ['uri', 'readPreference', 'settings', 'tableMappings']],
    ['pubsub', ['format', 'projectId', 'topic', 'authentication', 'seekType']],
  ])('needs the members of %s that clients always send: %j', async (kind, members) => {
    const { management } = await openLive();
    for (const member of members) {
      const body = { name: 'n', source: without(kind, member), destination, fieldMappings };
      const reply = await management('POST', pipesOf('trial'), body);
      expect(reply.body.error).toBe(`BAD_REQUEST: source.${kind}.${member} is required`);
    }
  });

  it.each([
    [{ source: {} }, `source must have exactly one of ${kinds.join(', ')}`],
    [
      { source: { kafka, kinesis: given.kinesis } },
      `source must have exactly one of ${kinds.join(', ')}`,
    ],
    [
      { source: { kafka: { ...kafka, type: 'rabbit' } } },
      'source.kafka.type must be one of kafka, redpanda, msk, gcmk, confluent, warpstream, azureeventhub, dokafka',
    ],
    [{ source: { kafka: { ...kafka, offset: {} } } }, 'source.kafka.offset.strategy is required'],
    [
      { source: { kafka: { ...kafka, offset: { strategy: 'from_timestamp' } } } },
      'source.kafka.offset.timestamp is required for from_timestamp',
    ],
    [
      { source: { kafka: { ...kafka, schemaRegistry: { url: 'u' } } } },
      'source.kafka.schemaRegistry.authentication is required',
    ],
    [
      { source: { kinesis: { ...given.kinesis, iteratorType: 'AT_TIMESTAMP' } } },
      'source.kinesis.timestamp is required for AT_TIMESTAMP',
    ],
    [
      { source: { pubsub: { ...given.pubsub, seekType: 'timestamp' } } },
      'source.pubsub.seekTimestamp is required for timestamp',
    ],
    [
      { destination: { tableDefinition: { engine: {} } } },
      'destination.tableDefinition.engine.type is required',
    ],
    [{ fieldMappings: [] }, 'fieldMappings must include all destination columns'],
    [{ scaling: { replicas: 0 } }, 'scaling.replicas must be an integer from 1 to 40'],
  ])('refuses %j', async (change, sentence) => {
    const { management } = await openLive();
    const body = { name: 'n', source: { kafka }, destination, fieldMappings, ...change };
    const reply = await management('POST', pipesOf('trial'), body);
    expect([reply.status, reply.body.error]).toEqual([400, `BAD_REQUEST: ${sentence}`]);
  });

  it('does not ask for field mappings where the source names its tables', async () => {
    const { management } = await openLive();
    const body = { name: 'n', source: { postgres: given.postgres }, destination };
    expect((await management('POST', pipesOf('trial'), body)).status).toBe(200);
  });
});

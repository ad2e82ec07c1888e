import { afterEach, describe, expect, it } from 'vitest';
import {
  type AnswerError,
  type Answering,
  data,
  result,
  type Stack,
  startStack,
} from '../support/harness.ts';

const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const serviceId = '5e4c0000-0000-4000-8000-000000000001';
const ofService = `organizationId: "${organizationId}", serviceId: "${serviceId}"`;

let stack: Stack;
afterEach(() => stack.close());

/** Asks with one answer for every upstream call; gives the data, and path and code of each error. */
const ask = async (document: string, answering: Answering) => {
  stack = await startStack({ management: answering, observability: answering });
  const { body } = await stack.query(document);
  expect(stack.complaints()).toBe('');
  return {
    data: body.data,
    errors: (body.errors ?? []).map((error: AnswerError) => [
      error.path.join('.'),
      error.extensions.code,
    ]),
  };
};

const askService = (selection: string, record: object) =>
  ask(`{ service(${ofService}) { name ${selection} isPrimary } }`, () =>
    result({ ...record, id: serviceId, name: 'a', isPrimary: true }),
  );

/** The odd pipe between two plain ones. */
const askPipe = (selection: string, record: object) =>
  ask(`{ service(${ofService}) { pipes { name ${selection} state } } }`, () =>
    result([
      { id: 'p1', name: 'before', state: 'Running' },
      { ...record, id: 'p2', name: 'odd', state: 'Stopped' },
      { id: 'p3', name: 'after', state: 'Failed' },
    ]),
  );

const pipes = (field: string) => ({
  service: {
    pipes: [
      { name: 'before', [field]: null, state: 'Running' },
      { name: 'odd', [field]: null, state: 'Stopped' },
      { name: 'after', [field]: null, state: 'Failed' },
    ],
  },
});

const bad = (path: string) => [[path, 'UPSTREAM_BAD_RESPONSE']];

describe('a value that is no object where one belongs nulls that field alone:', () => {
  it.each<readonly [field: string, selection: string, value: unknown]>([
    ['endpoints', '{ host port }', ['a']],
    ['endpoints', '{ host port }', [{ host: 'h' }, 7]],
    ['endpoints', '{ host port }', [[]]],
    ['endpoints', '{ __typename }', ['a']],
    ['endpoints', '{ host port }', 'a'],
    ['endpoints', '{ host port }', { host: 'h' }],
    ['ipAccessList', '{ source }', [true]],
  ])('%s %s of a service as %j', async (field, selection, value) => {
    expect(await askService(`${field} ${selection}`, { [field]: value })).toEqual({
      data: { service: { name: 'a', [field]: null, isPrimary: true } },
      errors: bad(`service.${field}`),
    });
  });

  it.each<readonly [field: string, selection: string, value: unknown]>([
    ['scaling', '{ replicas }', '125m'],
    ['scaling', '{ replicas }', []],
    ['scaling', '{ replicas }', [{ replicas: 1 }]],
    ['scaling', '{ __typename }', '125m'],
    ['destination', '{ table }', 7],
    ['destination', '{ table }', false],
    ['settings', '{ engineMaxThreads }', 'x'],
    ['settings', '{ engineMaxThreads }', ['x']],
    ['fieldMappings', '{ sourceField }', ['a']],
    ['fieldMappings', '{ sourceField }', 'a'],
    ['source', '{ __typename }', 'kafka'],
    ['source', '{ __typename }', ['kafka']],
    ['source', '{ __typename }', [{ kafka: {} }]],
    ['source', '{ __typename }', []],
    ['source', '{ __typename }', 5],
    ['source', '{ __typename }', true],
    ['source', '{ ... on KafkaSource { topics } }', 'kafka'],
  ])('%s %s of a pipe as %j', async (field, selection, value) => {
    expect(await askPipe(`${field} ${selection}`, { [field]: value })).toEqual({
      data: pipes(field),
      errors: bad(`service.pipes.1.${field}`),
    });
  });

  it.each<readonly [title: string, selection: string, record: object, odd: object, at: string]>([
    [
      'the offset of a Kafka source',
      'source { ... on KafkaSource { topics offset { timestamp } } }',
      { source: { kafka: { topics: 't', offset: 'x' } } },
      { source: { topics: 't', offset: null } },
      'source.offset',
    ],
    [
      'the table mappings of a Postgres source',
      'source { ... on PostgresSource { host tableMappings { sourceTable } } }',
      { source: { postgres: { host: 'h', tableMappings: ['orders'] } } },
      { source: { host: 'h', tableMappings: null } },
      'source.tableMappings',
    ],
    [
      'the columns of a destination',
      'destination { table columns { name } }',
      { destination: { table: 't', columns: ['id'] } },
      { destination: { table: 't', columns: null } },
      'destination.columns',
    ],
    [
      'the engine of a table definition',
      'destination { tableDefinition { partitionBy engine { columnIds } } }',
      { destination: { tableDefinition: { partitionBy: 'p', engine: 'log' } } },
      { destination: { tableDefinition: { partitionBy: 'p', engine: null } } },
      'destination.tableDefinition.engine',
    ],
  ])('%s', async (_, selection, record, odd, at) => {
    const answer = await askPipe(selection, record);
    expect(answer.data.service.pipes[1]).toEqual({ name: 'odd', ...odd, state: 'Stopped' });
    expect(answer.data.service.pipes[2].name).toBe('after');
    expect(answer.errors).toEqual(bad(`service.pipes.1.${at}`));
  });

  it.each([['webhook'], [[1]], [[]], [5], [true], ['']])(
    'the channel of an alert as %j',
    async (channel) => {
      const document = '{ alerts { name channel { type webhookId } state } }';
      const answer = await ask(document, () =>
        data([
          { id: 'a1', name: 'odd', channel, state: 'OK' },
          { id: 'a2', name: 'plain', channel: { type: 'webhook', webhookId: 'w' }, state: 'ALERT' },
        ]),
      );
      expect(answer).toEqual({
        data: {
          alerts: [
            { name: 'odd', channel: null, state: 'OK' },
            { name: 'plain', channel: { type: 'webhook', webhookId: 'w' }, state: 'ALERT' },
          ],
        },
        errors: bad('alerts.0.channel'),
      });
    },
  );

  it('the series of a tile', async () => {
    const tiles = [
      { id: 't1', series: ['a'] },
      { id: 't2', series: [{ type: 'line' }] },
    ];
    expect(
      await ask('{ dashboard(id: "d1") { tiles { id series { type } } } }', () =>
        data({ id: 'd1', tiles }),
      ),
    ).toEqual({
      data: { dashboard: { tiles: [{ id: 't1', series: null }, tiles[1]] } },
      errors: bad('dashboard.tiles.0.series'),
    });
  });

  it('the private endpoints of an organization', async () => {
    const document = `{ organization(id: "${organizationId}") { name privateEndpoints { id } } }`;
    expect(
      await ask(document, () => result({ id: organizationId, name: 'o', privateEndpoints: ['a'] })),
    ).toEqual({
      data: { organization: { name: 'o', privateEndpoints: null } },
      errors: bad('organization.privateEndpoints'),
    });
  });

  it.each([['abc'], [7], [['abc']], [true]])('a new key as %j', async (key) => {
    const document = `mutation { createApiKey(input: {
      organizationId: "${organizationId}", roles: [ADMIN] }) {
        apiKey { name } keyId keySecret userErrors { code } } }`;
    expect(await ask(document, () => result({ key, keyId: 'i', keySecret: 's' }))).toEqual({
      data: { createApiKey: { apiKey: null, keyId: 'i', keySecret: 's', userErrors: [] } },
      errors: bad('createApiKey.apiKey'),
    });
  });
});

describe('a null in place of an object stays null without an error:', () => {
  it('in a service', async () => {
    expect(await askService('endpoints { host }', { endpoints: null })).toEqual({
      data: { service: { name: 'a', endpoints: null, isPrimary: true } },
      errors: [],
    });
  });

  it.each([
    ['scaling', '{ replicas }'],
    ['destination', '{ table }'],
    ['settings', '{ engineMaxThreads }'],
    ['fieldMappings', '{ sourceField }'],
    ['source', '{ __typename }'],
  ])('%s of a pipe', async (field, selection) => {
    expect(await askPipe(`${field} ${selection}`, { [field]: null })).toEqual({
      data: pipes(field),
      errors: [],
    });
  });

  it('the channel of an alert', async () => {
    expect(
      await ask('{ alert(id: "a1") { name channel { type } } }', () =>
        data({ id: 'a1', name: 'lag', channel: null }),
      ),
    ).toEqual({ data: { alert: { name: 'lag', channel: null } }, errors: [] });
  });

  it('a new key', async () => {
    const document = `mutation { createApiKey(input: {
      organizationId: "${organizationId}", roles: [ADMIN] }) { apiKey { name } keyId } }`;
    expect(await ask(document, () => result({ key: null, keyId: 'i' }))).toEqual({
      data: { createApiKey: { apiKey: null, keyId: 'i' } },
      errors: [],
    });
  });
});

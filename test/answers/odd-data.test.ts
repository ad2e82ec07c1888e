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
const ids = `organizationId: "${organizationId}", serviceId: "${serviceId}"`;

let stack: Stack;
afterEach(() => stack.close());

/** Asks with one answer for every upstream call; gives the data, and path and code of each error. */
const ask = async (document: string, answering: Answering) => {
  stack = await startStack({ management: answering, observability: answering });
  const { body } = await stack.query(document);
  return {
    data: body.data,
    errors: (body.errors ?? [])
      .map((error: AnswerError) => [error.path.join('.'), error.extensions.code])
      .sort(),
  };
};

const askService = async (selection: string, service: object) => {
  const { data: found, errors } = await ask(`{ service(${ids}) { ${selection} } }`, () =>
    result({ id: serviceId, ...service }),
  );
  return { service: found.service, errors };
};

const askPipe = async (selection: string, pipe: object) => {
  const { data: found, errors } = await ask(`{ service(${ids}) { pipes { ${selection} } } }`, () =>
    result([{ id: 'p1', ...pipe }]),
  );
  return { pipe: found.service.pipes[0], errors };
};

const bad = (path: string) => [path, 'UPSTREAM_BAD_RESPONSE'];

describe('one value that does not fit nulls one field:', () => {
  it.each<readonly [title: string, field: string, value: unknown, at: string]>([
    ['a text for an integer', 'numReplicas', 'many', ''],
    ['a fraction for an integer', 'numReplicas', 1.5, ''],
    ['an integer beyond 32 bits', 'idleTimeoutMinutes', 2 ** 31, ''],
    ['a text for a boolean', 'idleScaling', 'yes', ''],
    ['an object for a text', 'engineVersion', { major: 26 }, ''],
    ['a list for a text', 'iamRole', ['r'], ''],
    ['a bad date', 'createdAt', 'yesterday', ''],
    ['a date that is a number', 'createdAt', 1_700_000_000, ''],
    ['a text for a list', 'privateEndpointIds', 'vpce', ''],
    ['an object for a list', 'privateEndpointIds', { 0: 'vpce' }, ''],
    ['a null within a list', 'privateEndpointIds', ['v', null], '.1'],
  ])('%s', async (_, field, value, at) => {
    expect(await askService(`name ${field}`, { name: 'a', [field]: value })).toEqual({
      service: { name: 'a', [field]: null },
      errors: [bad(`service.${field}${at}`)],
    });
  });

  it('a bad value in a nested object', async () => {
    const endpoints = [
      { host: 'h', port: 'https' },
      { host: 'i', port: 443 },
    ];
    expect(await askService('endpoints { host port }', { endpoints })).toEqual({
      service: { endpoints: [{ host: 'h', port: null }, endpoints[1]] },
      errors: [bad('service.endpoints.0.port')],
    });
  });

  it.each([
    ['scaling', 'replicaCpuMillicores', 'replicaCpuMillicores', '0.0001'],
    ['scaling', 'replicaMemoryGb', 'replicaMemoryGb', '512MB'],
    ['settings', 'objectStorageMaxInsertBytes', 'object_storage_max_insert_bytes', '10GB'],
    ['settings', 'objectStorageMaxInsertBytes', 'object_storage_max_insert_bytes', 2 ** 53],
  ] as const)('of a pipe, %s.%s as %s: %s', async (group, field, wireName, value) => {
    const pipe = { name: 'a', [group]: { [wireName]: value } };
    expect(await askPipe(`name ${group} { ${field} }`, pipe)).toEqual({
      pipe: { name: 'a', [group]: { [field]: null } },
      errors: [bad(`service.pipes.0.${group}.${field}`)],
    });
  });

  it('of a tile, a text on the grid, and a fraction is rounded', async () => {
    const tiles = [
      { id: 't1', name: 'a', x: 'left', y: 1.5, w: 3, h: 4 },
      { id: 't2', x: 0 },
    ];
    const answer = await ask('{ dashboard(id: "d1") { name tiles { id name x y w h } } }', () =>
      data({ id: 'd1', name: 'd', tiles }),
    );
    const second = { id: 't2', name: null, x: 0, y: null, w: null, h: null };
    expect(answer).toEqual({
      data: {
        dashboard: {
          name: 'd',
          tiles: [{ id: 't1', name: 'a', x: null, y: 2, w: 3, h: 4 }, second],
        },
      },
      errors: [bad('dashboard.tiles.0.x')],
    });
  });

  it('of an alert, a list for a boolean', async () => {
    const answer = await ask('{ alert(id: "a1") { name silenced } }', () =>
      data({ id: 'a1', name: 'lag', silenced: ['u1'] }),
    );
    expect(answer).toEqual({
      data: { alert: { name: 'lag', silenced: null } },
      errors: [bad('alert.silenced')],
    });
  });
});

describe('without an error pass', () => {
  it('null for lists and objects', async () => {
    expect(
      await askService('endpoints { host } ipAccessList { source } privateEndpointIds createdAt', {
        endpoints: null,
        ipAccessList: null,
        privateEndpointIds: null,
        createdAt: null,
      }),
    ).toEqual({
      service: { endpoints: null, ipAccessList: null, privateEndpointIds: null, createdAt: null },
      errors: [],
    });
  });

  it('missing members, as null', async () => {
    const selection =
      'name state scaling { replicas } source { __typename } fieldMappings { sourceField }';
    expect(await askPipe(`id ${selection} settings { engineMaxThreads } createdAt`, {})).toEqual({
      pipe: {
        id: 'p1',
        name: null,
        state: null,
        scaling: null,
        source: null,
        fieldMappings: null,
        settings: null,
        createdAt: null,
      },
      errors: [],
    });
  });

  it('members that the reference does not know', async () => {
    const odd = { name: 'a', newcomer: { deep: [1] }, nodeId: 'x', organizationId: 'y', pipes: 5 };
    const nodeId = Buffer.from(`Service:${organizationId}:${serviceId}`).toString('base64url');
    expect(await askService('name nodeId organizationId', odd)).toEqual({
      service: { name: 'a', nodeId, organizationId },
      errors: [],
    });
  });

  it('numbers beyond 32 bits where the schema has SafeInt', async () => {
    const { pipe, errors } = await askPipe(
      `settings { objectStorageMaxInsertBytes engineMinInsertBlockSizeBytes }
       source { ... on KinesisSource { timestamp } }`,
      {
        settings: {
          object_storage_max_insert_bytes: 53_687_091_200,
          engine_min_insert_block_size_bytes: 10_737_418_240,
        },
        source: { kinesis: { timestamp: 4_102_444_800 } },
      },
    );
    expect(errors).toEqual([]);
    expect(pipe).toEqual({
      settings: {
        objectStorageMaxInsertBytes: 53_687_091_200,
        engineMinInsertBlockSizeBytes: 10_737_418_240,
      },
      source: { timestamp: 4_102_444_800 },
    });
  });

  it('enum values that the reference does not know, as UNKNOWN', async () => {
    const answer = await ask('{ alerts { source thresholdType state } }', () =>
      data([
        { id: 'a1', source: 'trace', thresholdType: 'equal', state: 'NEW' },
        { id: 'a2', source: 'tile', thresholdType: 'below', state: 'active' },
        { id: 'a3', source: null },
      ]),
    );
    expect(answer).toEqual({
      data: {
        alerts: [
          { source: 'UNKNOWN', thresholdType: 'UNKNOWN', state: 'NEW' },
          { source: 'TILE', thresholdType: 'BELOW', state: 'active' },
          { source: null, thresholdType: null, state: null },
        ],
      },
      errors: [],
    });
  });

  it('roles that the reference does not know, as UNKNOWN beside the others', async () => {
    const answer = await ask(
      `mutation { createApiKey(input: {organizationId: "${organizationId}", roles: [ADMIN]}) {
        apiKey { roles } } }`,
      () => result({ key: { id: 'k1', roles: ['admin', 'billing', 'query_endpoints'] } }),
    );
    expect(answer).toEqual({
      data: { createApiKey: { apiKey: { roles: ['ADMIN', 'UNKNOWN', 'QUERY_ENDPOINTS'] } } },
      errors: [],
    });
  });

  it.each([
    [
      'a kind of its own',
      { mongodb: { uri: 'x' } },
      { __typename: 'UnknownSource', kind: 'mongodb' },
    ],
    [
      'one beside a flag',
      { validateSamples: true, mysql: {} },
      { __typename: 'UnknownSource', kind: 'mysql' },
    ],
    ['none at all', {}, { __typename: 'UnknownSource', kind: null }],
    ['a known kind that is null', { kafka: null }, { __typename: 'UnknownSource', kind: null }],
    [
      'a known kind beside null ones',
      { kafka: null, kinesis: { region: 'r' } },
      { __typename: 'KinesisSource' },
    ],
  ])('a source of a pipe with %s', async (_, source, expected) => {
    const selection = 'source { __typename ... on UnknownSource { kind } }';
    expect(await askPipe(selection, { source })).toEqual({
      pipe: { source: expected },
      errors: [],
    });
  });
});

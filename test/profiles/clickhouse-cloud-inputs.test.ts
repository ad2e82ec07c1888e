import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { result, type Stack, startStack } from '../support/harness.ts';
import { describeOperations } from '../support/operation-row.ts';
import { changing } from '../support/profiles/changing.ts';
import { common, pipe, sources } from '../support/profiles/cloud-pipes.ts';
import {
  apiKey,
  organization,
  organizationId,
  organizationPath,
  pipeId,
  pipePath,
  pipesPath,
  serviceId,
} from '../support/profiles/cloud-records.ts';
import { inOrder } from '../support/profiles/in-order.ts';

const config: Partial<Config> = { managementProfile: 'clickhouse-cloud' };

const serviceIds = { organizationId, serviceId };
const pipeIds = { ...serviceIds, pipeId };
const asPipe = ['pipe', 'id', { id: pipeId }] as const;

const login = { username: 'user', password: 'p"w' };
const accessKey = { accessKeyId: 'AK', secretKey: 'SK' };
const clientCertificate = { certificate: 'client-certificate', privateKey: 'client-key' };

/** How a login is given, and what is sent for it in `credentials`. */
const logins = [
  ['a user name and password', { credentials: login }, login],
  ['an access key', { accessKey }, accessKey],
  ['a connection string', { connectionString: 'Endpoint=b' }, { connectionString: 'Endpoint=b' }],
  ['a certificate', { clientCertificate }, clientCertificate],
] as const;

const schemaRegistry = { ...sources.kafka.schemaRegistry, credentials: login };

const creating = (title: string, source: object, sent: object) => ({
  ...changing(
    'createPipe',
    { ...serviceIds, ...common, source, validateSamples: true },
    `POST ${pipesPath}`,
    {
      ...inOrder('CreatePipeInput', {
        name: common.name,
        destination: common.destination,
        fieldMappings: common.fieldMappings,
        scaling: common.scaling,
      }),
      source: { ...sent, validateSamples: true },
    },
    pipe('kafka'),
    asPipe,
  ),
  title,
});

const kafkaInput = (typeName: string, members: object, credentials: object) => ({
  ...inOrder(typeName, members),
  credentials,
});

describeOperations(
  'creating a pipe with every member, from',
  'management',
  [
    ...logins.map(([title, given, credentials]) =>
      creating(
        `kafka with ${title}`,
        { kafka: { ...sources.kafka, schemaRegistry, ...given } },
        {
          kafka: kafkaInput('KafkaSourceInput', { ...sources.kafka, schemaRegistry }, credentials),
        },
      ),
    ),
    ...[
      { objectStorage: { ...sources.objectStorage, accessKey, serviceAccountKey: 'SAK' } },
      { objectStorage: { url: 'https://public.example', authentication: null } },
      { kinesis: { ...sources.kinesis, accessKey } },
      { postgres: { ...sources.postgres, credentials: login } },
    ].map((source) =>
      creating(Object.keys(source).join(), source, inOrder('PipeSourceInput', source)),
    ),
  ],
  config,
);

const updating = (title: string, source: object, sent: object) => ({
  ...changing(
    'updatePipe',
    { ...pipeIds, source },
    `PATCH ${pipePath}`,
    { source: sent },
    pipe('kafka'),
    asPipe,
  ),
  title,
});

const { iamRole, caCertificate, reversePrivateEndpointIds, authentication } = sources.kafka;
const kafkaUpdate = { iamRole, caCertificate, reversePrivateEndpointIds, authentication };
const { skipInitialLoad, startAfter, path, azureContainerName } = sources.objectStorage;
const { tlsHost, disableTls, skipCertVerification, tableMappings } = sources.postgres;

describeOperations(
  'updating a pipe with what the reference lacks, from',
  'management',
  [
    ...logins.map(([title, given, credentials]) =>
      updating(
        `kafka with ${title}`,
        { kafka: { ...kafkaUpdate, ...given } },
        { kafka: kafkaInput('UpdateKafkaSourceInput', kafkaUpdate, credentials) },
      ),
    ),
    updating(
      'kafka without a login, which null takes away',
      { kafka: { accessKey: null } },
      { kafka: { credentials: null } },
    ),
    ...[
      {
        objectStorage: {
          authentication: 'SERVICE_ACCOUNT',
          skipInitialLoad,
          startAfter,
          path,
          azureContainerName,
          serviceAccountKey: 'SAK',
        },
      },
      { kinesis: { authentication: 'IAM_ROLE', iamRole: 'role' } },
      {
        postgres: {
          tlsHost,
          caCertificate,
          disableTls,
          skipCertVerification,
          tableMappingsToAdd: tableMappings,
        },
      },
    ].map((source) =>
      updating(Object.keys(source).join(), source, inOrder('UpdatePipeSourceInput', source)),
    ),
  ],
  config,
);

describeOperations(
  'organizations and keys take what the reference lacks:',
  'management',
  [
    changing(
      'updateOrganization',
      {
        organizationId,
        privateEndpoints: {
          add: [{ id: 'vpce-1', description: 'office', cloudProvider: 'aws', region: 'us-east-1' }],
        },
        enableCoreDumps: false,
      },
      `PATCH ${organizationPath}`,
      {
        privateEndpoints: {
          add: [{ id: 'vpce-1', description: 'office', cloudProvider: 'aws', region: 'us-east-1' }],
        },
        enableCoreDumps: false,
      },
      organization,
      ['organization', 'id', { id: organizationId }],
    ),
    changing(
      'createApiKey',
      { organizationId, name: 'reporting', assignedRoleIds: ['401e0000'] },
      `POST ${organizationPath}/keys`,
      { name: 'reporting', assignedRoleIds: ['401e0000'] },
      { key: apiKey },
      ['apiKey', 'id', { id: apiKey.id }],
    ),
  ],
  config,
);

describe('without any call is refused', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({
      management: () => result({}),
      observability: () => result({}),
      config,
    });
  });
  beforeEach(() => {
    stack.calls.length = 0;
  });
  afterAll(() => stack.close());

  const refused = async (field: string, input: object, path: readonly string[]) => {
    const { body } = await stack.query(
      `mutation ($input: ${field[0]?.toUpperCase()}${field.slice(1)}Input!) {
        ${field}(input: $input) { userErrors { field message } }
      }`,
      { variables: { input } },
    );
    expect(body.data[field].userErrors).toEqual([
      { field: path, message: expect.stringContaining('got ') },
    ]);
    expect(stack.calls).toEqual([]);
    return JSON.stringify(body);
  };

  it.each([
    ['createPipe', serviceIds, login],
    ['updatePipe', pipeIds, login],
    ['updatePipe', pipeIds, { password: login.password }],
  ])(
    '%s from kafka with two logins, none of which is repeated',
    async (field, ids, credentials) => {
      const kafka = { credentials, clientCertificate };
      const text = await refused(field, { ...ids, source: { kafka } }, ['source', 'kafka']);
      expect(text).not.toMatch(/p.*"w|client-key/);
    },
  );

  it('a pipe from kafka that does not map a column', async () => {
    const destination = { columns: [{ name: 'day' }] };
    const { body } = await stack.query(
      'mutation ($input: CreatePipeInput!) { createPipe(input: $input) { userErrors { field } } }',
      { variables: { input: { ...serviceIds, source: { kafka: {} }, destination } } },
    );
    expect(body.data.createPipe.userErrors).toEqual([{ field: ['fieldMappings'] }]);
    expect(stack.calls).toEqual([]);
  });

  it('a change of the scaling to nothing', async () => {
    await refused('scalePipe', pipeIds, ['replicas']);
  });

  it('a key without any role', async () => {
    await refused('createApiKey', { organizationId, assignedRoleIds: [] }, ['roles']);
  });
});

it('a pipe from postgres needs no field mappings for the columns of its destination', async () => {
  const pipeWithColumns = { source: { postgres: {} }, destination: { columns: [{ name: 'day' }] } };
  const stack = await startStack({
    management: () => result({ id: pipeIds.pipeId }),
    observability: () => result({}),
    config,
  });
  const { body } = await stack.query(
    'mutation ($input: CreatePipeInput!) { createPipe(input: $input) { userErrors { code } } }',
    { variables: { input: { ...serviceIds, ...pipeWithColumns } } },
  );
  expect(body).toEqual({ data: { createPipe: { userErrors: [] } } });
  expect(stack.calls.map((call) => JSON.parse(call.body))).toEqual([pipeWithColumns]);
  await stack.close();
});

it('a key needs roles of the reference where no profile is set', async () => {
  const stack = await startStack({ management: () => result({}), observability: () => result({}) });
  const { body } = await stack.query(`mutation { createApiKey(input: {
    organizationId: "${organizationId}", assignedRoleIds: ["401e0000"]
  }) { userErrors { field } } }`);
  expect(body.data.createApiKey.userErrors).toHaveLength(1);
  expect(stack.calls).toEqual([]);
  await stack.close();
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sources } from '../support/documented-fields.ts';
import { data as observed, result, type Stack, startStack } from '../support/harness.ts';
import { read, type SourceKind, wire } from './records.ts';

/*
 * What the operations of table.ts leave out: every documented member of every input, and values that the reference does not have.
 */

const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const serviceId = '5e4c0000-0000-4000-8000-000000000001';
const pipeId = '919e0000-0000-4000-8000-000000000001';
const production = { organizationId, serviceId };
const alertId = 'a1e400000000000000000001';
const kinds = Object.keys(sources) as readonly SourceKind[];

interface Row {
  readonly title: string;
  readonly document: string;
  readonly input?: object;
  /** The body of the last call. */
  readonly body?: object;
  /** What every call is answered with. */
  readonly answer: unknown;
  readonly data: object;
}

const withUser = { credentials: { username: 'user', password: 'p"w' } };
const withKey = { accessKey: { accessKeyId: 'AK', secretKey: 'SK' } };

const { schemaRegistry, ...kafka } = wire.source('kafka');
/** Each source with the secrets that only requests have. */
const whole: Readonly<Record<SourceKind, object>> = {
  kafka: { ...kafka, schemaRegistry: { ...(schemaRegistry as object), ...withUser }, ...withUser },
  objectStorage: { ...wire.source('objectStorage'), ...withKey },
  kinesis: { ...wire.source('kinesis'), ...withKey },
  postgres: { ...wire.source('postgres'), ...withUser },
};
const { tableMappings } = wire.source('postgres');
const changes: Readonly<Record<SourceKind, object>> = {
  kafka: {
    ...{ iamRole: 'role', caCertificate: 'ca', reversePrivateEndpointIds: ['rpe-1'] },
    ...withUser,
  },
  objectStorage: {
    ...{ iamRole: 'role', connectionString: 'AccountKey=b', path: 'in/*.csv' },
    ...{ azureContainerName: 'container', ...withKey },
  },
  kinesis: { iamRole: 'role', ...withKey },
  postgres: {
    ...{ host: 'pg.example', port: 5433, database: 'shop', ...withUser },
    settings: { syncIntervalSeconds: 30, pullBatchSize: 5_000_000_000 },
    tableMappingsToAdd: tableMappings,
    tableMappingsToRemove: [
      { sourceSchemaName: 'public', sourceTable: 'carts', targetTable: 'shop_carts' },
    ],
  },
};

const onWire = wire.pipe(pipeId);
const asRead = read.pipe(pipeId);
const { name, scaling, fieldMappings } = onWire as Readonly<Record<string, unknown>>;
const destination = (onWire as { readonly destination?: object }).destination;
const columns = [{ name: 'id', type: 'UInt64' }];
const settings = (asRead as { readonly settings?: object }).settings;
const wireSettings = (onWire as { readonly settings?: object }).settings;

const pipeRows = kinds.flatMap((kind): Row[] => [
  {
    title: `createPipe from ${kind}`,
    document:
      'mutation ($input: CreatePipeInput!) { write: createPipe(input: $input) { pipe { id } } }',
    input: {
      ...{ ...production, name, scaling, fieldMappings, settings, validateSamples: true },
      destination: { ...destination, roles: ['reader', 'writer'] },
      source: { [kind]: whole[kind] },
    },
    body: {
      name,
      destination: { ...destination, roles: ['reader', 'writer'] },
      ...{ fieldMappings, scaling },
      source: { [kind]: whole[kind], validateSamples: true },
      settings: wireSettings,
    },
    answer: onWire,
    data: { write: { pipe: { id: pipeId } } },
  },
  {
    title: `updatePipe of ${kind}`,
    document:
      'mutation ($input: UpdatePipeInput!) { write: updatePipe(input: $input) { pipe { id } } }',
    input: {
      ...{ ...production, pipeId, name, fieldMappings, settings, validateSamples: false },
      destination: { columns },
      source: { [kind]: changes[kind] },
    },
    body: {
      ...{ name, destination: { columns }, fieldMappings },
      source: { [kind]: changes[kind], validateSamples: false },
      settings: wireSettings,
    },
    answer: onWire,
    data: { write: { pipe: { id: pipeId } } },
  },
]);

const keyMembers = {
  name: 'reporting',
  expireAt: '2027-11-03T09:30:00Z',
  state: 'disabled',
  hashData: { keyIdHash: 'aWQ=', keyIdSuffix: 'x9Yz', keySecretHash: 'c2VjcmV0' },
  roles: ['admin', 'developer', 'query_endpoints'],
  ipAccessList: [{ source: '203.0.113.7', description: 'build server' }],
};
const memory = { minTotalMemoryGb: 48, maxTotalMemoryGb: 360 };
const scalingMembers = { ...memory, numReplicas: 3, idleScaling: false, idleTimeoutMinutes: 15 };
// The base64 SHA-256 and the doubled SHA-1 of "password".
const hashes = {
  newPasswordHash: 'XohImNooBHFR0OVvjcYpJ3NgPQ1qq73WKhHvch0VQtg=',
  newDoubleSha1Hash: '2470c0c06dee42fd1618bb99005adca2ec9d1e19',
};
const alertMembers = {
  ...{ threshold: 0.5, interval: '1h', thresholdType: 'below', source: 'search' },
  ...{ dashboardId: 'da5b00000000000000000002', tileId: 'tile-2' },
  channel: { type: 'webhook', webhookId: '3eb000000000000000000002' },
  ...{ name: 'Renamed', message: 'Ruhig — "zu" ruhig' },
};

const rows: readonly Row[] = [
  ...pipeRows,
  {
    title: 'createApiKey, and a role that nobody knows',
    document: `mutation ($input: CreateApiKeyInput!) {
      createApiKey(input: $input) { apiKey { roles } userErrors { code } } }`,
    input: {
      ...{ organizationId, ...keyMembers, state: 'DISABLED' },
      roles: ['ADMIN', 'DEVELOPER', 'QUERY_ENDPOINTS'],
    },
    body: keyMembers,
    answer: { key: { ...wire.apiKey, roles: ['developer', 'auditor'] } },
    data: { createApiKey: { apiKey: { roles: ['DEVELOPER', 'UNKNOWN'] }, userErrors: [] } },
  },
  {
    title: 'createApiKey, enabled',
    document: `mutation { createApiKey(input: {
      organizationId: "${organizationId}", state: ENABLED, roles: [DEVELOPER] }) { keyId } }`,
    body: { state: 'enabled', roles: ['developer'] },
    answer: { key: wire.apiKey, keyId: 'id' },
    data: { createApiKey: { keyId: 'id' } },
  },
  {
    title: 'updateServiceScaling, and the deprecated fields',
    document: `mutation ($input: UpdateServiceScalingInput!) {
      updateServiceScaling(input: $input) { service { minTotalMemoryGb maxTotalMemoryGb } } }`,
    input: { ...production, ...scalingMembers },
    body: scalingMembers,
    answer: wire.service(serviceId),
    data: { updateServiceScaling: { service: memory } },
  },
  {
    title: 'updateServicePassword by hashes, which answers none',
    document: `mutation ($input: UpdateServicePasswordInput!) {
      updateServicePassword(input: $input) { password userErrors { code } } }`,
    input: { ...production, ...hashes },
    body: hashes,
    answer: {},
    data: { updateServicePassword: { password: null, userErrors: [] } },
  },
  {
    title: 'updateAlert, which keeps what it cannot give',
    document: `mutation ($input: UpdateAlertInput!) {
      updateAlert(input: $input) { userErrors { code } } }`,
    input: { alertId, ...alertMembers, thresholdType: 'BELOW', source: 'SEARCH' },
    body: { ...alertMembers, savedSearch: '5ea400000000000000000001', groupBy: 'service' },
    answer: wire.alert(alertId, 'da5b00000000000000000001'),
    data: { updateAlert: { userErrors: [] } },
  },
  {
    title: 'an alert with values beyond the closed sets of the reference',
    document: `{ alert(id: "${alertId}") { source thresholdType state channel { type } } }`,
    answer: {
      ...{ id: alertId, source: 'trace', thresholdType: 'outside', state: 'INSUFFICIENT_DATA' },
      channel: { type: 'email' },
    },
    data: {
      alert: {
        ...{ source: 'UNKNOWN', thresholdType: 'UNKNOWN', state: 'INSUFFICIENT_DATA' },
        channel: { type: 'email' },
      },
    },
  },
  {
    title: 'a pipe with a source that nobody knows, and the secret of one from a storage',
    document: `{ service(organizationId: "${organizationId}", serviceId: "${serviceId}") { pipes {
      source { ... on UnknownSource { kind } ... on ObjectStorageSource { connectionString } } } } }`,
    answer: [{ ...onWire, source: { mqtt: {} } }, wire.pipe(pipeId, 'objectStorage')],
    data: {
      service: {
        pipes: [{ source: { kind: 'mqtt' } }, { source: { connectionString: 'AccountKey=x' } }],
      },
    },
  },
];

describe('each documented member goes in and out:', () => {
  let stack: Stack;
  let answer: unknown;
  beforeAll(async () => {
    stack = await startStack({
      management: () => result(answer),
      observability: () => observed(answer),
    });
  });
  afterAll(() => stack.close());

  it.each(rows)('$title', async (row) => {
    answer = row.answer;
    const { body } = await stack.query(row.document, { variables: { input: row.input } });
    expect(body).toEqual({ data: row.data });
    const sent = stack.calls.at(-1)?.body ?? '';
    expect(sent && JSON.parse(sent)).toStrictEqual(row.body ?? '');
  });
});

import { withIds } from '../support/world/ids.ts';

/**
 * Operations with a canary in every place that can hold a secret. Each canary begins with one of these marks, plain, in
 * base64 or in hexadecimal, so that tests also find a piece of a canary.
 */
const marks = /cnry|Y25y|636e7279|a2V5LWlkOm/gi;

/** Every mark in a text, also an escaped one, with the text around it. */
export const leaksIn = (text: string): string[] => {
  const decoded = text.replace(/(?:%|\\u00)([\da-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return [...new Set([text, decoded])].flatMap((each) =>
    [...each.matchAll(marks)].map(({ index }) => each.slice(Math.max(0, index - 30), index + 30)),
  );
};

const organizationId = withIds('organization-1');
export const serviceIds = { organizationId, serviceId: withIds('service-1') };
export const pipeIds = { ...serviceIds, pipeId: withIds('pipe-1') };

/** The token begins with a mark, and the key's secret is a mark. */
export const basic = `Basic ${btoa('key-id:cnry-key-secret')}`;
export const bearer = 'Bearer cnry-bearer-token';
export const ownHeaders = {
  ...{ 'management-authorization': basic, 'observability-authorization': bearer },
};

export interface SecretOperation {
  readonly name: string;
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

export const mutation = (name: string, selection: string, input: unknown): SecretOperation => ({
  name,
  document: `mutation ($input: ${name.replace(/^./, (letter) => letter.toUpperCase())}Input!) {
    ${name}(input: $input) { ${selection} userErrors { code message field } } }`,
  variables: { input },
});
export const createPipe = (source: unknown) =>
  mutation('createPipe', 'pipe { id name }', {
    ...serviceIds,
    name: 'p',
    source,
    destination: { table: 't' },
  });
export const updatePipe = (source: unknown) =>
  mutation('updatePipe', 'pipe { id name }', { ...pipeIds, source });

const hashOf = (name: string): string =>
  Buffer.from(`cnry-${name}`.padEnd(32, '.')).toString('base64');
/** Also in base64, its first characters have others for URLs. */
export const login = { username: 'cnry-user', password: 'cnry?>"quoted" \\ pass wörd cnry' };
export const accessKey = { accessKeyId: 'cnry-access-key-id', secretKey: 'cnry/secret+key=cnry' };
export const connectionString = 'cnry-BlobEndpoint=https://x.example/;AccountKey=cnry==';
const clientCertificate = { certificate: 'cnry-certificate', privateKey: 'cnry-private-key' };
const serviceAccountKey = 'cnry-service-account-key';
export const passwordInput = {
  ...serviceIds,
  newPasswordHash: hashOf('password-hash'),
  newDoubleSha1Hash: `636e7279${'0f'.repeat(16)}`,
};
const hashData = {
  ...{ keyIdHash: hashOf('key-id-hash'), keyIdSuffix: 'cnry' },
  keySecretHash: hashOf('key-secret-hash'),
};
const schemaRegistry = { url: 'https://registry.example', credentials: login };

const bySource = (sources: readonly object[]): readonly SecretOperation[] =>
  [createPipe, updatePipe].flatMap((write) => sources.map(write));

/** Writes to management with a secret in the body. */
export const secretWrites: readonly SecretOperation[] = [
  mutation('updateServicePassword', 'password', passwordInput),
  mutation('createApiKey', 'keyId', {
    ...{ organizationId, name: 'k', roles: ['ADMIN'], hashData },
    ipAccessList: [{ source: '192.0.2.1' }],
  }),
  createPipe({ kafka: { credentials: login, schemaRegistry } }),
  ...bySource([
    { kafka: { credentials: login } },
    { objectStorage: { accessKey, connectionString } },
    { kinesis: { accessKey } },
    { postgres: { credentials: login } },
  ]),
];

const mySql = { host: 'h', port: 3306, credentials: login };
const mongoDb = {
  uri: 'mongodb://cnry-uri-user:cnry%2Furi%3Apassword@h',
  readPreference: 'primary',
};
const pubSub = { authentication: 'SERVICE_ACCOUNT', serviceAccountKey };
const settings = { replicationMode: 'snapshot' };
const copying = { settings, tableMappings: [] };

/** The same for members that are not in the documented interfaces. */
export const secretWritesBeyond: readonly SecretOperation[] = [
  ...bySource([
    { kafka: { accessKey } },
    { kafka: { connectionString } },
    { kafka: { clientCertificate } },
    { objectStorage: { serviceAccountKey } },
  ]),
  createPipe({ mySql: { ...mySql, ...copying } }),
  createPipe({ mongoDb: { ...mongoDb, ...copying } }),
  createPipe({ mongoDb: { ...mongoDb, ...copying, credentials: login } }),
  createPipe({ bigQuery: { snapshotStagingPath: 'gs://s', serviceAccountKey, ...copying } }),
  createPipe({
    pubSub: { ...pubSub, projectId: 'p', topic: 't', format: 'Avro', seekType: 'latest' },
  }),
  ...[{ mySql }, { mongoDb }, { pubSub }].map(updatePipe),
];

/** Operations whose only secret is the credential: a read and a write for each upstream. */
export const plainOperations: readonly SecretOperation[] = [
  {
    name: 'service',
    document: withIds('{ service(@service-1) { name pipes { name } } }'),
    variables: {},
  },
  { name: 'alerts', document: '{ alerts { name } dashboards { name } }', variables: {} },
  mutation('createDashboard', 'dashboard { id }', { name: 'd' }),
];

/** Patterns for data that must never leave the gateway. Data that only an upstream knows is marked `leaky`. */
const patterns: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['a URL', /\bhttps?:\/\//i],
  ['an address', /127\.0\.0\.1|\[::1?\]|\blocalhost\b/i],
  ['a host', /\.(?:invalid|example|internal)\b/i],
  ['data of an upstream', /leaky/i],
  ['a credential', /\b(?:basic|bearer) +[\w+/=~.-]{4,}/i],
  ['a stack', /\bat (?:async |new )?[\w.<>[\] ]+ \(|\bat (?:file:|node:|\/|<anonymous>)/],
  ['a place in a file', /\.[cm]?[jt]s:\d+/],
  ['a path of a file', /file:\/\/|node_modules|node:internal|\/(?:work|home|srv|usr|src|tmp)\//],
  ['a class of errors', /\b(?:Type|Range|Syntax|Reference|Internal)Error\b/],
  ['a hint', /did you mean/i],
];

/** All addresses, secrets and internals found in a text, each with the text around it. */
export const findLeaks = (text: string, upstreams: readonly URL[]): readonly string[] => {
  const ports = upstreams
    .filter(({ port }) => port !== '')
    // A request id has groups of four digits between hyphens, any of which may equal the port.
    .map(({ port }) => ['a port', new RegExp(`(?<![\\w-])${port}(?![\\w-])`)] as const);
  const found = [...patterns, ...ports].flatMap(([kind, pattern]) => {
    const at = pattern.exec(text)?.index;
    return at === undefined ? [] : [`${kind}: ${text.slice(Math.max(0, at - 60), at + 60)}`];
  });
  return [...found, ...leaksIn(text).map((place) => `a secret: ${place}`)];
};

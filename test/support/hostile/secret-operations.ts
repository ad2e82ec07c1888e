/**
 * Operations with a canary in every place that can hold a secret. Each canary has one of these marks
 * in its very beginning, plain, in base64 or in hexadecimal, so that a piece of one is found as well.
 */
const marks = /cnry|Y25y|636e7279|a2V5LWlkOm/gi;

/** Every mark in a text, with what stands around it. */
export const leaksIn = (text: string): string[] =>
  [...text.matchAll(marks)].map(({ index }) => text.slice(Math.max(0, index - 30), index + 30));

const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const serviceId = '5e4c0000-0000-4000-8000-000000000001';
const pipeId = '919e0000-0000-4000-8000-000000000001';
export const serviceIds = { organizationId, serviceId };
export const pipeIds = { organizationId, serviceId, pipeId };

/** The token begins with a mark, the key's secret is one. */
export const basic = `Basic ${btoa('key-id:cnry-key-secret')}`;
export const bearer = 'Bearer cnry-bearer-token';

const hashOf = (name: string): string =>
  Buffer.from(`cnry-${name}`.padEnd(32, '.')).toString('base64');
const login = { username: 'cnry-user', password: 'cnry-"quoted" \\ pass wörd' };
const accessKey = { accessKeyId: 'cnry-access-key-id', secretKey: 'cnry/secret+key=' };
const connectionString = 'cnry-BlobEndpoint=https://x.example/;AccountKey=cnry==';
const clientCertificate = { certificate: 'cnry-certificate', privateKey: 'cnry-private-key' };
const serviceAccountKey = 'cnry-service-account-key';

export interface SecretOperation {
  readonly name: string;
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

const mutation = (field: string, selection: string, input: object): SecretOperation => {
  const type = `${field[0]?.toUpperCase()}${field.slice(1)}Input!`;
  return {
    name: field,
    document: `mutation ($input: ${type}) { ${field}(input: $input) { ${selection} userErrors { code message field } } }`,
    variables: { input },
  };
};

const createPipe = (source: object) =>
  mutation('createPipe', 'pipe { id name }', { ...serviceIds, name: 'p', source });
const updatePipe = (source: object) =>
  mutation('updatePipe', 'pipe { id name }', { ...pipeIds, source });

export const passwordInput = {
  ...serviceIds,
  newPasswordHash: hashOf('password-hash'),
  newDoubleSha1Hash: `636e7279${'0f'.repeat(16)}`,
};

const kafka = { credentials: login };
const schemaRegistry = { url: 'https://registry.example', credentials: login };

/** Writes to management with a secret in the body. */
export const secretWrites: readonly SecretOperation[] = [
  mutation('updateServicePassword', 'password', passwordInput),
  mutation('createApiKey', 'keyId', {
    organizationId,
    roles: ['ADMIN'],
    hashData: {
      keyIdHash: hashOf('key-id-hash'),
      keyIdSuffix: 'cnry',
      keySecretHash: hashOf('key-secret-hash'),
    },
  }),
  createPipe({ kafka: { ...kafka, schemaRegistry } }),
  createPipe({ objectStorage: { accessKey, connectionString } }),
  createPipe({ kinesis: { accessKey } }),
  createPipe({ postgres: { credentials: login } }),
  updatePipe({ kafka }),
  updatePipe({ objectStorage: { accessKey, connectionString } }),
  updatePipe({ kinesis: { accessKey } }),
  updatePipe({ postgres: { credentials: login } }),
];

/** The same with what the reference lacks. */
export const secretWritesBeyond: readonly SecretOperation[] = [
  createPipe({ kafka: { accessKey } }),
  createPipe({ kafka: { connectionString } }),
  createPipe({ kafka: { clientCertificate } }),
  createPipe({ objectStorage: { serviceAccountKey } }),
  updatePipe({ kafka: { accessKey } }),
  updatePipe({ kafka: { connectionString } }),
  updatePipe({ kafka: { clientCertificate } }),
  updatePipe({ objectStorage: { serviceAccountKey } }),
];

/** Whose only secret is the credential; one operation for each upstream and way. */
export const plainOperations: readonly SecretOperation[] = [
  {
    name: 'service',
    document: `query ($organizationId: ID!, $serviceId: ID!) {
      service(organizationId: $organizationId, serviceId: $serviceId) { name pipes { name } } }`,
    variables: serviceIds,
  },
  { name: 'alerts', document: '{ alerts { name } dashboards { name } }', variables: {} },
  mutation('createDashboard', 'dashboard { id }', { name: 'd' }),
];

/** A password change whose variables graphql-js refuses, and quotes. */
export const refusedPasswords: readonly (readonly [title: string, input: unknown])[] = [
  ['a misspelt member beside the secret', { ...passwordInput, newPaswordHash: 'x' }],
  [
    'the secret in a misspelt member',
    { ...serviceIds, newDoubleSha1: passwordInput.newDoubleSha1Hash },
  ],
  ['the secret in a list', { ...serviceIds, newPasswordHash: ['cnry-in-a-list'] }],
  ['the secret in an object', { ...serviceIds, newPasswordHash: { value: 'cnry-in-an-object' } }],
  ['the secret in place of the input', 'cnry-as-input'],
  ['the secret in a list in place of the input', ['cnry-as-input']],
  ['no identifiers', { newPasswordHash: passwordInput.newPasswordHash }],
  ['a wrong type beside the secret', { ...passwordInput, serviceId: {} }],
  ['a hash of the wrong form', { ...serviceIds, newPasswordHash: 'cnry-not-base64' }],
  ['a digest of the wrong form', { ...serviceIds, newDoubleSha1Hash: 'cnry-not-hexadecimal' }],
];

/** Sources of a pipe whose variables graphql-js refuses, and quotes. */
export const refusedSources: readonly (readonly [title: string, source: unknown])[] = [
  ['two kinds at once', { kafka, kinesis: { accessKey } }],
  ['a misspelt member beside the login', { kafka: { ...kafka, brokrs: 'x' } }],
  ['a misspelt member in the login', { kafka: { credentials: { ...login, pasword: 'cnry' } } }],
  ['a login that is a string', { postgres: { credentials: 'cnry:cnry' } }],
  ['a misspelt login', { postgres: { login } }],
  ['a misspelt access key', { kinesis: { acessKey: accessKey } }],
  ['a misspelt connection string', { objectStorage: { conectionString: connectionString } }],
  ['a connection string in a list', { objectStorage: { connectionString: [connectionString] } }],
  ['a connection string of the wrong kind of source', { kinesis: { connectionString } }],
  ['an unknown kind of source', { mongo: { uri: 'cnry-uri' } }],
];

const ids = `organizationId: "${organizationId}", serviceId: "${serviceId}"`;

/** Inputs written into the document itself, which graphql-js refuses, and quotes. */
export const refusedLiterals: readonly (readonly [title: string, document: string])[] = [
  [
    'without its quotes',
    `mutation { updateServicePassword(input: {${ids}, newPasswordHash: cnry}) { password } }`,
  ],
  [
    'in a list',
    `mutation { updateServicePassword(input: {${ids}, newPasswordHash: ["cnry"]}) { password } }`,
  ],
  [
    'in place of a login',
    `mutation { createPipe(input: {${ids}, source: {kafka: {credentials: "cnry"}}}) { pipe { id } } }`,
  ],
  [
    'with a syntax error after it',
    `mutation { updateServicePassword(input: {${ids}, newPasswordHash: "cnry" "cnry"}) { password } }`,
  ],
  ['that does not end', `mutation { updateServicePassword(input: {${ids}, newPasswordHash: "cnry`],
];

export const updatePipeDocument = updatePipe({}).document;
export const createPipeDocument = createPipe({}).document;
export const passwordDocument = mutation('updateServicePassword', 'password', {}).document;

/**
 * What must never leave the gateway, whatever happened. Secrets of callers have the marks of
 * `secret-operations.ts`; whatever an upstream alone knows is marked `leaky`.
 */
const patterns: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['a URL', /\bhttps?:\/\//i],
  ['an address', /127\.0\.0\.1|\[::1?\]|\blocalhost\b/i],
  ['a host', /\.(?:invalid|example|internal)\b/i],
  ['what an upstream alone knows', /leaky/i],
  ['a credential', /\b(?:basic|bearer) +[\w+/=~.-]{4,}/i],
  ['a stack', /\bat (?:async |new )?[\w.<>[\] ]+ \(|\bat (?:file:|node:|\/|<anonymous>)/],
  ['a place in a file', /\.[cm]?[jt]s:\d+/],
  ['a path of a file', /file:\/\/|node_modules|node:internal|\/(?:work|home|srv|usr|src|tmp)\//],
  ['a class of errors', /\b(?:Type|Range|Syntax|Reference|Internal)Error\b/],
  ['a hint', /did you mean/i],
];

/** What was found of the upstreams' addresses, of secrets and of the insides, each with its surroundings. */
export const findLeaks = (text: string, upstreams: readonly URL[]): readonly string[] => {
  const around = (at: number): string => text.slice(Math.max(0, at - 60), at + 60);
  const ports = upstreams
    .filter(({ port }) => port !== '')
    // A request's id has groups of four digits between hyphens, and any of them may be the port's.
    .map(({ port }) => ['a port', new RegExp(`(?<![\\w-])${port}(?![\\w-])`)] as const);
  const found = [...patterns, ...ports].flatMap(([kind, pattern]) => {
    const at = pattern.exec(text)?.index;
    return at === undefined ? [] : [`${kind}: ${around(at)}`];
  });
  return [...found, ...leaksIn(text).map((place) => `a secret: ${place}`)];
};

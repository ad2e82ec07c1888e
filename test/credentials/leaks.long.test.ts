import { expect, it, onTestFinished } from 'vitest';
import { type Config, readConfig } from '../../src/config.ts';
import { data, result, type Stack, stackInTest, unpaced } from '../support/harness.ts';
import { postBytes, statusIn } from '../support/http/raw.ts';
import { sampleOf } from '../support/random/runs.ts';
import { failures } from './failing-upstreams.ts';
import {
  accessKey,
  connectionString,
  createPipe,
  findLeaks,
  login,
  mutation,
  ownHeaders,
  passwordInput,
  plainOperations,
  type SecretOperation,
  secretWrites,
  serviceIds,
  updatePipe,
} from './planted-secrets.ts';

const hidden = {
  ...{ INTROSPECTION: 'off', GRAPHIQL: 'off' },
  // Otherwise the fingerprints in the log are random, and might once hold a canary.
  CACHE_SECRET: 'a-secret-of-the-deployment-of-this-test',
};
const {
  managementUrl: _,
  observabilityUrl: __,
  ...production
} = readConfig({
  ...hidden,
  ...{ MANAGEMENT_URL: 'http://unused.invalid', OBSERVABILITY_URL: 'http://unused.invalid' },
});

const start = async (config: Partial<Config> = {}): Promise<Stack> => {
  const stack = await stackInTest({
    management: () => result([]),
    observability: () => data([]),
    config: { ...production, ...unpaced, ...config },
  });
  return stack;
};

/** A request's answer: status line, headers and body, which is all that leaves toward the caller. */
const publish = async (url: string, init: RequestInit) => {
  const response = await fetch(url, init);
  const { status, statusText, headers } = response;
  const body = await response.text();
  const lines = [...headers].map((header) => header.join(': '));
  return { status, body, text: [`${status} ${statusText}`, ...lines, body].join('\n') };
};
const ask = (url: string, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
  const own = { 'content-type': 'application/json', 'sluice-explain': '1', ...ownHeaders };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return publish(url, { method: 'POST', headers: { ...own, ...headers }, body: text });
};

const responseTypes = ['application/json', 'application/graphql-response+json'];

/** Reads of every kind that fields with odd values are completed in. */
const read = {
  query: `query ($organizationId: ID!, $serviceId: ID!) {
    service(organizationId: $organizationId, serviceId: $serviceId) { name createdAt numReplicas
      pipes { name state createdAt source { __typename } settings { engineMaxThreads } } }
    alerts { name state threshold createdAt silenced channel { type } dashboard { name } }
    dashboards { name tags tiles { name x } } }`,
  variables: serviceIds,
};
const bodyOf = ({ document, variables }: SecretOperation) => ({ query: document, variables });
// An upstream may quote a URL that the caller gave himself.
const operations = [...plainOperations, ...secretWrites]
  .map(bodyOf)
  .filter((body) => !JSON.stringify(body).includes('.example'));

it.each(sampleOf(failures, 16))(
  'a failing upstream reveals nothing: $title',
  async ({ start: startFailing, isSlow }) => {
    const { url, close } = await startFailing();
    onTestFinished(close);
    const times = isSlow && { operationTimeoutMs: 200, writeTimeoutMs: 200 };
    for (const accept of responseTypes) {
      const stack = await start({ managementUrl: url, observabilityUrl: url, ...times });
      // Alone, or the failures of the others could have opened the breaker before.
      const first = await ask(stack.url, read, { accept });
      expect(JSON.parse(first.body).errors.length).toBeGreaterThan(0);
      const others = await Promise.all(operations.map((body) => ask(stack.url, body, { accept })));
      for (const { text } of [first, ...others]) expect(findLeaks(text, [url])).toEqual([]);
      expect(findLeaks(stack.log(), [url])).toEqual([]);
    }
  },
  // All operations read 11 MB each.
  240_000,
);

/** Requests that a gateway refuses for what they are, and what of its hidden schema a hint would name. */
const misspelt: readonly (readonly [query: string, ...hints: readonly string[]])[] = [
  ['{ organisation { name } }', 'organization', 'organizations'],
  ['{ alerts { nam thresholdTyp } }', '"name"', '"thresholdType"'],
  ['mutation { createPip { pipe { id } } }', '"createPipe"'],
  ['{ alerts(filter: {statIn: ["x"]}) { id } }', '"stateIn"'],
  ['{ alerts(filter: {sourceIn: [TIL]}) { id } }', '"TILE"', 'SEARCH'],
  ['{ alerts { ...x } } fragment x on Alrt { id }', '"Alert"'],
  ['{ alerts { id @skp(if: true) } }', '"skip"', '@skip'],
  ['{ alerts { ...alertFrgment } } fragment alertFragment on Alert { id }', 'Did'],
  ['{ node(nodeId: "x") { name } }', 'Organization', 'Dashboard'],
  ['{ alerts }', '{ ... }'],
  ['{ __schema { types { name } } }', 'AlertFilter'],
  ['mutation { updateServicePassword(input: { "cnry" }) }'],
  ['{ alerts(filter: {stateIn: ["cnry'],
  ['{ alerts(filter: {stateIn: ["cnry\\q cnry"]}) { id } }'],
  [`{ alerts(filter: {stateIn: ["cnry"]}) { ${'id '.repeat(3000)} } }`],
  ['mutation { updateServicePassword(input: {newPasswordHash: cnry}) { password } }'],
  ['mutation { createPipe(input: {source: {kafka: {credentials: "cnry"}}}) { pipe { id } } }'],
];

const alertsBy = (filter: unknown) => ({
  query: 'query ($f: AlertFilter) { alerts(filter: $f) { id } }',
  variables: { f: filter },
});
const passwords = [
  { ...passwordInput, newPaswordHash: 'x' },
  { ...serviceIds, newPasswordHsh: passwordInput.newPasswordHash },
  { ...serviceIds, newPasswordHash: [['cnry']] },
  { ...serviceIds, newPasswordHash: { value: 'cnry-in-an-object' } },
  { ...passwordInput, serviceId: { a: 'cnry' } },
  { ...serviceIds, newPasswordHash: 'cnry-not-base64' },
].map((input) => mutation('updateServicePassword', 'password', input));
const sources = [
  { kafka: { credentials: login }, kinesis: { accessKey } },
  { kafka: { credentials: { ...login, pasword: 'cnry' } } },
  { postgres: { credentials: 'cnry:cnry' } },
  { kinesis: { acessKey: accessKey } },
  { objectStorage: { connectionString: [connectionString] } },
  { mongo: { uri: 'cnry-uri' } },
  { mongoDb: { uri: { cnry: 'cnry' }, readPreference: 'cnry' } },
  { mySql: { host: 'cnry', credentials: login } },
  { pubSub: { authentication: 'cnry', serviceAccountKey: ['cnry'] } },
].flatMap((source) => [createPipe(source), updatePipe(source)]);

const refused: readonly (readonly [
  body: unknown,
  hints?: readonly string[],
  headers?: Readonly<Record<string, string>>,
])[] = [
  ...misspelt.map(([query, ...hints]) => [{ query }, hints] as const),
  ...[...passwords, ...sources].map((operation) => [bodyOf(operation)] as const),
  [alertsBy({ source: 'TIL' }), ['"TILE"', 'SEARCH']],
  [{ query: 'query A { __typename }', operationName: 'cnry' }],
  ['{"query": "{ alerts }", "variables": {"a": "cnry'],
  [[{ query: '{ __typename }', variables: { a: 'cnry' } }]],
  [{ query: '{ __typename }', surprise: 'cnry' }],
  [{ query: '{ __typename }', variables: 'cnry' }],
  [{ extensions: { persistedQuery: { version: 1, sha256Hash: 'cnry' } } }],
  [{ query: '{ __typename }', variables: { a: 'cnry'.repeat(100_000) } }],
  ['query=%7B+alerts+%7D&cnry=cnry', [], { 'content-type': 'application/x-cnry' }],
  [{ query: '{ __typename }' }, [], { 'content-encoding': 'gzip' }],
  ...['cnry', 'Digest cnry', 'Basic cnry cnry', 'Bearer cnry\tcnry'].map((value) => {
    const headers = { 'management-authorization': value, 'observability-authorization': value };
    return [{ query: '{ alerts { id } organizations { id } }' }, [], headers] as const;
  }),
];

it.each(responseTypes)('a refused request reveals nothing in an answer as %s', async (accept) => {
  const stack = await start();
  for (const [body, hints = [], headers = {}] of refused) {
    const { status, text } = await ask(stack.url, body, { accept, ...headers });
    const asked = JSON.stringify(body).slice(0, 300);
    expect([asked, text]).toEqual([asked, expect.stringMatching(/"(?:e|userE)rrors":\[\{/)]);
    expect([asked, status < 500, findLeaks(text, [])]).toEqual([asked, true, []]);
    for (const hint of hints) expect(text.replaceAll('\\"', '"')).not.toContain(hint);
  }
  expect(findLeaks(stack.log(), [])).toEqual([]);
  expect(stack.calls).toEqual([]);
});

it.each<readonly [path: string, init: RequestInit]>([
  ['/cnry', {}],
  ['/%zz%', {}],
  ['/graphql', { headers: { accept: 'text/html' } }],
  ['/graphql?query=%7Bcnry(a%3A"cnry")', {}],
  ['/graphql?query=%7B__typename%7D&variables=cnry', {}],
])('a request that is no operation reveals nothing: %s %j', async (path, init) => {
  const stack = await start();
  const { status, text } = await publish(new URL(path, stack.url).href, init);
  expect(status).toBeLessThan(500);
  expect(text).not.toContain('INTERNAL_SERVER_ERROR');
  expect(findLeaks(`${text}\n${stack.log()}`, [])).toEqual([]);
  expect(stack.calls).toEqual([]);
});

const hosts = ['[::cnry', 'cnry:99999', '\xff\xfe'];
const targets = ['http://[cnry/graphql', '//cnry:99999/graphql'];

it.each<Partial<Parameters<typeof postBytes>[1]>>([
  ...hosts.map((host) => ({ host })),
  ...targets.map((target) => ({ target })),
  { headers: [['Host', 'cnry']] },
])('a request to somewhere else reveals nothing: %j', async ({ headers = [], ...to }) => {
  const stack = await start();
  for (const accept of responseTypes) {
    const document = '{ __typename }';
    const lines = [['Accept', accept] as const, ...headers];
    const bytes = await postBytes(stack.url, { document, headers: lines, ...to });
    expect(findLeaks(`${bytes}\n${stack.log()}`, [])).toEqual([]);
    expect(statusIn(bytes)).toBeLessThan(500);
  }
});

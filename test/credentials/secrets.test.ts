import { describe, expect, it, onTestFinished } from 'vitest';
import { graphiqlStart } from '../../sandbox/graphiql.ts';
import { startSandbox } from '../../sandbox/server.ts';
import type { Config } from '../../src/config.ts';
import { startGateway } from '../support/gateway.ts';
import { startOf } from '../support/graphiql-gateway.ts';
import {
  type Answering,
  type Call,
  data,
  type GraphQLAnswer,
  json,
  result,
  startStack,
  wide,
} from '../support/harness.ts';
import { authorizationOf } from '../support/http/raw.ts';
import { withIds } from '../support/world/ids.ts';
import {
  basic,
  bearer,
  createPipe,
  leaksIn,
  mutation,
  ownHeaders,
  passwordInput,
  pipeIds,
  plainOperations,
  type SecretOperation,
  secretWrites,
  secretWritesBeyond,
  serviceIds,
} from './planted-secrets.ts';

const start = async (answering: Answering, config?: Partial<Config>) => {
  const stack = await startStack({
    management: answering,
    observability: answering,
    config: { ...wide, ...config },
    credentials: { 'management-authorization': '', 'observability-authorization': '' },
  });
  onTestFinished(() => stack.close());
  const send = (
    { document, variables }: Omit<SecretOperation, 'name'>,
    headers: Readonly<Record<string, string>> = ownHeaders,
  ) => stack.query(document, { variables, headers });
  /** Everything that left the gateway other than toward an upstream. */
  const published = ({ text, headers }: Pick<GraphQLAnswer, 'text' | 'headers'>): string =>
    [text, ...[...headers].map((header) => header.join(': ')), stack.log()].join('\n');
  return { stack, send, published };
};

const spoken = (status: number, text: string) =>
  json({ status, error: text, message: text, requestId: 'r-1' }, status);

/** All that a call brought, as an upstream might repeat it. */
const wordsOf = (call: Call): string => `no ${authorizationOf(call)} for ${call.body}`;

const pageOf = async (url: string): Promise<string> => {
  const page = await fetch(url, { headers: { accept: 'text/html' } });
  expect(page.headers.get('content-type')).toContain('text/html');
  return page.text();
};

describe('a secret is sent to its upstream, and shown nowhere: neither answer, log, list of calls nor page,', () => {
  const explained =
    'ageSeconds cache method milliseconds name operation path round shared status waitedMilliseconds';
  const record = { id: 'x', name: 'y' };
  const succeeding = ({ method, path }: Call) => {
    const isList = method === 'GET' && /\/(?:pipes|alerts|dashboards)$/.test(path);
    return json({ status: 200, result: isList ? [record] : record, data: isList ? [] : record });
  };

  // Other failures are in leaks.long.test.ts.
  it.each<[title: string, answering: Answering]>([
    ['succeeds', succeeding],
    ['is refused in words of the request', (call) => spoken(422, wordsOf(call))],
  ])('where the operation %s', async (_, answering) => {
    const { stack, send, published } = await start(answering);
    for (const operation of [...secretWrites, ...plainOperations]) {
      const before = stack.calls.length;
      const answer = await send(operation, { ...ownHeaders, 'sluice-explain': '1' });
      const calls: readonly object[] = answer.body.extensions.upstream;
      expect([operation.name, calls.length]).toEqual([operation.name, stack.calls.length - before]);
      for (const call of calls) expect(Object.keys(call).sort().join(' ')).toBe(explained);
      expect(leaksIn(published(answer))).toEqual([]);
    }
    const secret = stack.calls.filter(({ body }) => leaksIn(body).length > 0);
    expect(secret).toHaveLength(secretWrites.length);
    expect(stack.complaints()).toBe('');
    expect(leaksIn(await pageOf(stack.url))).toEqual([]);
    // No call has the other upstream's credential, or a body's secret in its other parts.
    for (const { upstream, path, rawHeaders, body } of stack.calls) {
      const own = upstream === 'management' ? basic : bearer;
      expect(leaksIn(`${path}\n${rawHeaders.join('\n')}`.replace(own, ''))).toEqual([]);
      if (upstream === 'observability') expect(leaksIn(body)).toEqual([]);
    }
  });

  it.each(secretWritesBeyond)('$name that is not documented: $variables', async (operation) => {
    const profile = { managementProfile: 'clickhouse-cloud' } as const;
    const { stack, send, published } = await start((call) => spoken(400, wordsOf(call)), profile);
    const answer = await send(operation);
    expect(stack.calls.map((call) => leaksIn(call.body).length > 0)).toEqual([true]);
    expect(answer.body.data[operation.name].userErrors).toMatchObject([{ code: 'REJECTED' }]);
    expect(leaksIn(published(answer))).toEqual([]);
  });
});

it.each([
  { authorization: basic, 'observability-authorization': bearer },
  { authorization: bearer, 'management-authorization': basic },
])('a credential is taken out of words of an upstream, however it came: %j', async (headers) => {
  const { stack, send, published } = await start((call) => spoken(403, wordsOf(call)));
  for (const operation of plainOperations) {
    const answer = await send(operation, headers);
    expect(answer.body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect(leaksIn(published(answer))).toEqual([]);
  }
  const sent = stack.calls.map(({ upstream }) => upstream);
  expect(stack.calls.map(authorizationOf)).toEqual(
    sent.map((upstream) => (upstream === 'management' ? basic : bearer)),
  );
});

describe('words of an upstream give nothing away:', () => {
  // How else a secret may be spelt or cut is in redact.test.ts.
  it('the credential for the other upstream, in part', async () => {
    const words = `refused ${basic.slice(0, 18)}… and Bearer cnry-bea…`;
    const { send, published } = await start(() => spoken(400, words));
    for (const operation of plainOperations) {
      const answer = await send(operation);
      expect(answer.text).toContain('refused');
      expect(leaksIn(published(answer))).toEqual([]);
    }
  });

  it('of a mutation about the secret of one before it in the same operation', async () => {
    const { send } = await start(({ method }) =>
      method === 'POST'
        ? result({ id: pipeIds.pipeId })
        : spoken(400, 'not while cnry-of-the-first is new'),
    );
    const document = withIds(`mutation ($source: PipeSourceInput!) {
      createPipe(input: { @service-1, source: $source }) { pipe { id } }
      updateServiceScaling(input: { @service-1, numReplicas: 3 }) { userErrors { message } } }`);
    const source = { kafka: { credentials: { username: 'u', password: 'cnry-of-the-first' } } };
    const { data: answered } = (await send({ document, variables: { source } })).body;
    expect(answered.updateServiceScaling.userErrors).toEqual([
      { message: 'not while [redacted] is new.' },
    ]);
  });

  it('as its id of the request', async () => {
    const { send, published } = await start(() =>
      json({ status: 400, error: 'refused', requestId: 'cnry-bearer-token' }, 400),
    );
    const answer = await send({ document: '{ organizations { id } }', variables: {} });
    expect(answer.body.errors[0].extensions.upstream).not.toHaveProperty('requestId');
    expect(leaksIn(published(answer))).toEqual([]);
  });
});

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const hex = '0af7651916cd43dd8448eb211c80319c';

it.each([
  ['an id that is the token', { 'x-request-id': 'cnry-bearer-token' }],
  ['an id that holds its beginning', { 'x-request-id': 'my.cnry-bear.7' }],
  ['an id that holds the key’s secret', { 'x-request-id': 'my.cnry-key-secret' }],
  ['an id that is a credential without padding', { 'x-request-id': btoa(bearer).slice(0, 20) }],
  ['a trace’s state', { traceparent: parent, tracestate: 'a=cnry-bearer-token' }],
  ['a trace’s state, escaped', { traceparent: parent, tracestate: 'a=cnry%2dbearer%2dtoken' }],
  ['a trace’s id', { traceparent: parent, authorization: `Bearer ${hex}` }],
  ['an id that is a refused credential', { 'x-request-id': hex, authorization: hex }],
])('what names a request and contains a credential is not passed on: %s', async (_, headers) => {
  const { stack, send, published } = await start(({ upstream }) =>
    upstream === 'management' ? result([]) : data([]),
  );
  const document = '{ organizations { id } alerts { id } }';
  const answer = await send({ document, variables: {} }, { ...ownHeaders, ...headers });
  expect(answer.body.errors).toBeUndefined();
  expect(stack.calls).toHaveLength(2);
  for (const call of stack.calls) {
    expect(call.headers['x-request-id']).toMatch(/^[\da-f]{8}-[\da-f-]{27}$/);
    expect(call.headers).not.toHaveProperty('traceparent');
    expect(call.headers).not.toHaveProperty('tracestate');
  }
  expect(leaksIn(published(answer))).toEqual([]);
  expect(published(answer)).not.toContain(hex);
});

const createKey = 'createApiKey(input: { @organization-1, roles: [ADMIN] })';
const hash = `newPasswordHash: "${passwordInput.newPasswordHash}"`;
const inSource = 'source { __typename ... on ObjectStorageSource { … } }';

it.each([
  ['keySecret', `mutation { ${createKey} { … } }`, 'apiKey { id } keyId'],
  ['password', `mutation { updateServicePassword(input: { @service-1, ${hash} }) { … } }`, ''],
  ['connectionString', `{ service(@service-1) { pipes { id ${inSource} } } }`, 'path'],
])(
  'the %s that an upstream returns is answered only where it is selected',
  async (member, document, other) => {
    const answering =
      (secret: unknown): Answering =>
      ({ method, path }) => {
        const source = { objectStorage: { path: 'in/', connectionString: secret } };
        const pipe = { id: pipeIds.pipeId, source };
        const others = { key: { id: 'k' }, keyId: 'id', keySecret: secret, password: secret };
        if (/keys$|password$/.test(path)) return result(others);
        return result(method === 'GET' ? [pipe, { ...pipe, id: null }] : pipe);
      };
    const selecting = (selection: string) => {
      return { document: withIds(document.replace('…', selection)), variables: {} };
    };
    const { send, published } = await start(answering('cnry-returned'));
    expect(leaksIn(published(await send(selecting(`__typename ${other}`))))).toEqual([]);
    const answer = await send(selecting(member));
    expect(leaksIn(answer.text)).toEqual([expect.stringContaining(`"${member}":"cnry-ret`)]);
    expect(leaksIn(published({ ...answer, text: '' }))).toEqual([]);
    const write = createPipe({ objectStorage: { path: 'in/' } });
    expect(leaksIn(published(await send(write)))).toEqual([]);

    // Not even there when it has the wrong type.
    const odd = await start(answering({ value: ['cnry-deep'] }));
    const refused = await odd.send(selecting(member));
    expect(refused.body.errors[0].extensions.code).toBe('UPSTREAM_BAD_RESPONSE');
    expect(leaksIn(odd.published(refused))).toEqual([]);
  },
);

it('a key that is changed is answered without a secret, even if the service sends one', async () => {
  const secrets = { keyId: 'cnry-id', keySecret: 'cnry-secret', hashData: { keyIdHash: 'cnry' } };
  const { send, published } = await start(() => result({ id: 'k', name: 'n', ...secrets }), {
    managementProfile: 'clickhouse-cloud',
  });
  const { organizationId, serviceId } = serviceIds;
  const input = { organizationId, apiKeyId: serviceId, name: 'n' };
  const answer = await send(mutation('updateApiKey', 'apiKey { id name }', input));
  expect(answer.body.data.updateApiKey).toMatchObject({ apiKey: { name: 'n' }, userErrors: [] });
  expect(leaksIn(published(answer))).toEqual([]);
});

it('the page of the demo holds its two credentials, and no other', async () => {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const { url } = await startGateway({}, { graphiqlStart: graphiqlStart(sandbox) });
  const page = await pageOf(url);
  const { management, observability } = sandbox.credentials;
  const own = [management.admin.header, observability.main.header];
  const { defaultHeaders } = startOf(page).options;
  expect(own.filter((header) => !defaultHeaders.includes(header))).toEqual([]);
  const all = [...Object.values(management), ...Object.values(observability)];
  const secrets = all.flatMap((credential) => Object.values(credential));
  const others = secrets.filter((secret) => !own.join().includes(secret));
  expect(others.filter((secret) => page.includes(secret))).toEqual([]);
  expect(others.length).toBeGreaterThan(2);
});

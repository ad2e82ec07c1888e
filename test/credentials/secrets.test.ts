import { describe, expect, it, onTestFinished } from 'vitest';
import { graphiqlStart } from '../../sandbox/graphiql.ts';
import { startSandbox } from '../../sandbox/server.ts';
import type { Config } from '../../src/config.ts';
import type { GatewayServerOptions } from '../../src/gateway/server.ts';
import { startGateway } from '../support/gateway.ts';
import { startOf } from '../support/graphiql-gateway.ts';
import {
  type Answer,
  type Answering,
  data,
  type GraphQLAnswer,
  json,
  result,
  stackInTest,
  wide,
} from '../support/harness.ts';
import { authorizationOf } from '../support/http/raw.ts';
import { subscribe } from '../support/subscribe.ts';
import { withIds } from '../support/world/ids.ts';
import {
  basic,
  bearer,
  createPipe,
  leaksIn,
  ownHeaders,
  passwordInput,
  pipeIds,
  plainOperations,
  type SecretOperation,
  secretWrites,
  secretWritesBeyond,
} from './planted-secrets.ts';

const start = async (
  answering: Answering,
  config?: Partial<Config>,
  gateway: Partial<GatewayServerOptions> = {},
) => {
  const stack = await stackInTest({
    management: answering,
    observability: answering,
    config: { ...wide, ...config },
    gateway,
    credentials: { 'management-authorization': '', 'observability-authorization': '' },
  });
  const send = (
    { document, variables }: Omit<SecretOperation, 'name'>,
    headers: Readonly<Record<string, string>> = ownHeaders,
  ) => stack.query(document, { variables, headers });
  /** Everything that left the gateway other than toward an upstream. */
  const published = ({ text, headers }: Pick<GraphQLAnswer, 'text' | 'headers'>): string =>
    [text, ...[...headers].map((header) => header.join(': ')), stack.log()].join('\n');
  return { stack, send, published };
};

const pageOf = async (url: string): Promise<string> => {
  const page = await fetch(url, { headers: { accept: 'text/html' } });
  expect(page.headers.get('content-type')).toContain('text/html');
  return page.text();
};

it('a secret is sent to its upstream, and shown nowhere: neither answer, log, list of calls nor page', async () => {
  const explained =
    'ageSeconds cache method milliseconds name operation path round shared status waitedMilliseconds';
  const record = { id: 'x', name: 'y' };
  const { stack, send, published } = await start(({ method, path }) => {
    const isList = method === 'GET' && /\/(?:pipes|alerts|dashboards)$/.test(path);
    return json({ status: 200, result: isList ? [record] : record, data: isList ? [] : record });
  });
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

describe('a secret that an upstream repeats is shown nowhere', () => {
  const forms: Readonly<Record<string, (secret: string) => string>> = {
    'as it is': (text) => text,
    'in part': (text) => text.slice(0, Math.max(8, Math.ceil(text.length * 0.7))),
    'in base64': (text) => Buffer.from(text).toString('base64'),
    'in base64 for URLs': (text) => Buffer.from(text).toString('base64url'),
    'percent-encoded': encodeURIComponent,
    'percent-encoded as in a form': (text) => encodeURIComponent(text).replaceAll('%20', '+'),
    'percent-encoded byte by byte': (text) =>
      Buffer.from(text).toString('hex').replace(/../g, '%$&'),
    'escaped as in JSON': (text) => JSON.stringify(text).slice(1, -1),
    'escaped as in JSON, each character': (text) =>
      text.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  };

  /** All strings with a mark in a body. */
  const secretsIn = (value: unknown): readonly string[] => {
    if (typeof value === 'string') return leaksIn(value).length > 0 ? [value] : [];
    return typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(secretsIn)
      : [];
  };
  const [, token = ''] = basic.split(' ');
  const ofBearer = [bearer, bearer.slice(7)] as const;
  const ofCredentials = [basic, token, atob(token), ...ofBearer];
  const ways = [
    ownHeaders,
    { authorization: basic, 'observability-authorization': bearer },
    { authorization: bearer, 'management-authorization': basic },
  ];

  it.each(Object.entries(forms))(
    'a secret that an upstream repeats is shown nowhere: %s',
    async (_, spell) => {
      const refusal = (secrets: readonly string[]) => {
        const [words, requestId] = [`no ${secrets.map(spell).join(', ')}`, spell(ofBearer[1])];
        return json({ status: 403, error: words, message: words, requestId }, 403);
      };
      let alerts: Answer | undefined;
      const { stack, send, published } = await start(
        ({ path, body }) => {
          if (path === '/api/v2/alerts' && alerts) return alerts;
          return refusal([...ofCredentials, ...(body ? secretsIn(JSON.parse(body)) : [])]);
        },
        { managementProfile: 'clickhouse-cloud' },
        { pollMs: { management: 20, observability: 20 } },
      );
      const operations = [...secretWrites, ...secretWritesBeyond].map(
        (each) => [each, ownHeaders] as const,
      );
      const plain = ways.flatMap((headers) =>
        plainOperations.map((each) => [each, headers] as const),
      );
      for (const [operation, headers] of [...operations, ...plain]) {
        const answer = await send(operation, { ...headers, 'sluice-explain': '1' });
        expect([operation.name, answer.text]).toEqual([
          operation.name,
          expect.stringContaining('[redacted]'),
        ]);
        expect([operation.name, leaksIn(published(answer))]).toEqual([operation.name, []]);
      }
      for (const call of stack.calls) {
        expect(authorizationOf(call)).toBe(call.upstream === 'management' ? basic : bearer);
      }
      // A poll is of no request, and is sent with one credential.
      alerts = data([]);
      const stream = await subscribe(stack.url, 'subscription { alerts { name } }', {
        headers: ownHeaders,
      });
      expect((await stream.event(1)).data).toEqual({ alerts: [] });
      alerts = refusal(ofBearer);
      await stream.ended;
      const events = JSON.stringify(stream.events);
      expect(events).toContain('[redacted]');
      expect(leaksIn(events + stack.log())).toEqual([]);
    },
  );

  it('a secret that an upstream repeats is shown nowhere where it is of a mutation before in the same operation', async () => {
    const { send } = await start(({ method }) =>
      method === 'POST'
        ? result({ id: pipeIds.pipeId })
        : json({ status: 400, error: 'not while cnry-of-the-first is new' }, 400),
    );
    const document = withIds(`mutation ($source: PipeSourceInput!) {
      createPipe(input: { @service-1, name: "p", destination: {}, source: $source }) { pipe { id } }
      updateServiceScaling(input: { @service-1, numReplicas: 3 }) { userErrors { message } } }`);
    const source = { kafka: { credentials: { username: 'u', password: 'cnry-of-the-first' } } };
    const { data: answered } = (await send({ document, variables: { source } })).body;
    expect(answered.updateServiceScaling.userErrors).toEqual([
      { message: 'not while [redacted] is new.' },
    ]);
  });

  it.each([400, 200])(
    'a secret that an upstream repeats as its id is shown nowhere, of an answer of %i that cannot be used',
    async (status) => {
      const { send, published } = await start(() =>
        json({ status, error: 'refused', result: 'odd', requestId: 'cnry-bearer-token' }, status),
      );
      const answer = await send({ document: '{ organizations { id } }', variables: {} });
      expect(answer.body.errors[0].extensions.upstream).not.toHaveProperty('requestId');
      expect(leaksIn(published(answer))).toEqual([]);
    },
  );
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

const createKey = 'createApiKey(input: { @organization-1, name: "k", roles: [ADMIN] })';
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

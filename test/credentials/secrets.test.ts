import { afterEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import {
  type Answer,
  type Answering,
  type Call,
  data,
  type GraphQLAnswer,
  json,
  result,
  type Stack,
  startStack,
  wide,
} from '../support/harness.ts';
import {
  basic,
  bearer,
  createPipeDocument,
  leaksIn,
  passwordDocument,
  passwordInput,
  pipeIds,
  plainOperations,
  refusedLiterals,
  refusedPasswords,
  refusedSources,
  secretWrites,
  serviceIds,
  updatePipeDocument,
} from '../support/hostile/secret-operations.ts';
import { authorizationOf, refusingUrl } from '../support/http/raw.ts';

const headerSets = {
  'headers of their own': {
    'management-authorization': basic,
    'observability-authorization': bearer,
  },
  'the plain header, Basic': { authorization: basic, 'observability-authorization': bearer },
  'the plain header, Bearer': { authorization: bearer, 'management-authorization': basic },
};

let stack: Stack;
afterEach(() => stack.close());

const start = async (answering: Answering, config?: Partial<Config>): Promise<void> => {
  stack = await startStack({
    management: answering,
    observability: answering,
    config: { ...wide, ...config },
    credentials: { 'management-authorization': '', 'observability-authorization': '' },
  });
};

const send = (
  document: string,
  variables: unknown,
  headers: Readonly<Record<string, string>> = headerSets['headers of their own'],
) => stack.query(document, { variables, headers });

/** Everything that left the gateway other than toward an upstream. */
const published = ({ text, headers }: Pick<GraphQLAnswer, 'text' | 'headers'>): string =>
  [text, ...[...headers].map((header) => header.join(': ')), stack.log()].join('\n');

/** The other upstream's credential, or a body's secret, in a call to observability. */
const crossings = (): string[] =>
  stack.calls.flatMap((call) => {
    const seen = `${call.path}\n${call.rawHeaders.join('\n')}\n${call.body}`;
    return call.upstream === 'management'
      ? [...seen.matchAll(/bearer/gi)].map(() => seen)
      : leaksIn(seen.replace(bearer, ''));
  });

/** All that a call brought, as an upstream might repeat it. */
const repeat = (call: Call): string => {
  const credential = authorizationOf(call);
  const [scheme, token = ''] = credential.split(' ');
  const decoded = scheme === 'Basic' ? atob(token) : token;
  return `refused ${credential} (${token}, ${decoded}) for ${call.body}`;
};

const typed = (type: string, status: number, body: string): Answer => ({
  status,
  headers: { 'content-type': type },
  body,
});

const spoken = (status: number, text: string): Answer =>
  json({ status, error: text, message: text, requestId: 'r-1' }, status);

const echoes: readonly (readonly [title: string, echo: Answering])[] = [
  ...[400, 401, 403, 404, 409, 422, 424, 429, 500, 503].map(
    (status) => [`a JSON ${status}`, (call: Call) => spoken(status, repeat(call))] as const,
  ),
  ...[400, 401, 404, 500].map(
    (status) =>
      [`a plain ${status}`, (call: Call) => typed('text/plain', status, repeat(call))] as const,
  ),
  ...[400, 502].map(
    (status) =>
      [`an HTML ${status}`, (call: Call) => typed('text/html', status, repeat(call))] as const,
  ),
  ['an HTML 200', (call) => typed('text/html', 200, repeat(call))],
  ['broken JSON', (call) => typed('application/json', 200, `{"result": "${repeat(call)}`)],
  ['an envelope of failure', (call) => json({ status: 500, error: repeat(call) })],
  [
    'a result of the wrong type',
    (call) => json({ status: 200, result: repeat(call), data: repeat(call) }),
  ],
];

describe('an upstream that repeats credential and body reveals neither', () => {
  it.each(echoes)('in %s', async (_, echo) => {
    await start(echo);
    for (const { document, variables } of [...plainOperations, ...secretWrites]) {
      const answer = await send(document, variables);
      expect(answer.text).toMatch(/"errors":\[\{|"userErrors":\[\{/);
      expect(leaksIn(published(answer))).toEqual([]);
    }
    expect(stack.calls.length).toBeGreaterThanOrEqual(13);
    expect(stack.calls.filter(({ body }) => leaksIn(body).length > 0)).toHaveLength(10);
    expect(crossings()).toEqual([]);
  });

  it.each(Object.entries(headerSets))('however the credentials came: %s', async (_, headers) => {
    await start((call) => spoken(403, repeat(call)));
    for (const { document, variables } of plainOperations) {
      const answer = await send(document, variables, headers);
      expect(answer.body.errors[0].extensions.code).toBe('FORBIDDEN');
      expect(leaksIn(published(answer))).toEqual([]);
    }
    expect(new Set(stack.calls.map((call) => call.headers.authorization))).toEqual(
      new Set([basic, bearer]),
    );
    expect(crossings()).toEqual([]);
  });

  it.each([400, 403])('where the cut of a long %s message falls into it', async (status) => {
    await start(({ headers }) => spoken(status, `${'x'.repeat(484)} ${headers.authorization}`));
    for (const { document, variables } of plainOperations) {
      const answer = await send(document, variables);
      expect(answer.text).toContain('xxxx');
      expect(leaksIn(published(answer))).toEqual([]);
    }
  });

  it('where the end of the first line falls into it', async () => {
    const password = 'cnry-first line\ncnry-second line';
    await start(() => typed('text/plain', 400, `bad password: ${password}`));
    const source = { postgres: { credentials: { username: 'cnry-user', password } } };
    const answer = await send(updatePipeDocument, { input: { ...pipeIds, source } });
    expect(answer.text).toContain('bad password');
    expect(leaksIn(published(answer))).toEqual([]);
  });
});

describe('an upstream that repeats a credential in part or in another form gives nothing away:', () => {
  const token = basic.slice('Basic '.length);
  const [key, keySecret] = ['key-id', 'cnry-key-secret'];
  it.each([
    ['cut', `Basic ${token.slice(0, 12)}… and Bearer cnry-bea…`],
    ['without padding', token.replace(/=+$/, '')],
    ['URL-safe', Buffer.from('cnry-bearer-token').toString('base64url')],
    ['in base64', `${btoa('cnry-bearer-token')} and ${btoa(keySecret)}`],
    ['percent-encoded', encodeURIComponent(`${basic}, ${bearer}, ${key}:${keySecret}`)],
    ['percent-encoded in lower case', `${key}%3a${keySecret}, ${token.replaceAll('=', '%3d')}`],
    ['its secret alone, cut', keySecret.slice(0, 8)],
    ['after four megabytes of blanks', ' '.repeat(4_000_000) + token],
    ['at the end of what is read of a line', `${'x'.repeat(490)} ${token}`],
  ])('%s', async (_, text) => {
    // Each upstream knows the other’s credential here, as one who serves both could.
    await start(() => spoken(400, `refused ${text}`));
    for (const { document, variables } of plainOperations) {
      const answer = await send(document, variables);
      expect(answer.text).toContain('refused');
      expect(leaksIn(published(answer))).toEqual([]);
    }
  });

  it('a secret of a body, escaped or cut', async () => {
    const password = 'cnry "quoted" \\ pass wörd';
    const spelt = [
      JSON.stringify(password),
      encodeURIComponent(password),
      encodeURIComponent(password).toLowerCase(),
      Buffer.from(password).toString('base64url'),
      `${password.slice(0, 10)}…`,
    ];
    const source = { postgres: { credentials: { username: 'cnry-user', password } } };
    await start(() => spoken(400, `refused ${spelt.join(', ')}`));
    const answer = await send(updatePipeDocument, { input: { ...pipeIds, source } });
    expect(answer.body.data.updatePipe.userErrors[0].message).toBe(
      'refused "[redacted]", [redacted], [redacted], [redacted], [redacted]…',
    );
    expect(leaksIn(published(answer))).toEqual([]);
  });

  it('as its id of the request', async () => {
    await start(() => json({ status: 400, error: 'refused', requestId: 'cnry-bearer-token' }, 400));
    const answer = await send('{ organizations { id } }', {});
    expect(answer.body.errors[0].extensions.upstream).toEqual({
      name: 'management',
      operation: 'listOrganizations',
      status: 400,
    });
    expect(leaksIn(published(answer))).toEqual([]);
  });
});

describe('an x-request-id that contains a credential is not passed on:', () => {
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
  ])('%s', async (_, headers) => {
    await start(({ upstream }) => (upstream === 'management' ? result([]) : data([])));
    const answer = await send(
      '{ organizations { id } alerts { id } }',
      {},
      {
        ...headerSets['headers of their own'],
        ...headers,
      },
    );
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
});

it('an upstream that cannot be reached gives nothing away', async () => {
  const url = await refusingUrl();
  await start(() => result({}), { managementUrl: url, observabilityUrl: url });
  for (const { document, variables } of [...plainOperations, ...secretWrites]) {
    const answer = await send(document, variables);
    expect(answer.body.errors[0].extensions.code).toBe('UPSTREAM_UNAVAILABLE');
    expect(leaksIn(published(answer))).toEqual([]);
  }
});

it('a refused credential is not quoted', async () => {
  await start(() => data([]));
  for (const value of ['cnry', 'Digest cnry', 'Basic cnry cnry', 'Bearer cnry\tcnry']) {
    const headers = { 'management-authorization': value, 'observability-authorization': value };
    const answer = await send('{ alerts { id } organizations { id } }', {}, headers);
    expect(answer.body.errors).toHaveLength(2);
    expect(leaksIn(published(answer))).toEqual([]);
  }
  expect(stack.calls).toEqual([]);
});

describe('refused input is not quoted:', () => {
  const refuse = async (document: string, variables?: unknown) => {
    await start(() => result({}));
    const answer = await send(document, variables);
    expect(answer.text).toMatch(/BAD_USER_INPUT|GRAPHQL_/);
    expect(leaksIn(published(answer))).toEqual([]);
    expect(stack.calls).toEqual([]);
  };

  it.each(refusedPasswords)('%s', (_, input) => refuse(passwordDocument, { input }));

  it.each(refusedSources)('%s, on creation', (_, source) =>
    refuse(createPipeDocument, { input: { ...serviceIds, source } }),
  );

  it.each(refusedSources)('%s, on update', (_, source) =>
    refuse(updatePipeDocument, { input: { ...pipeIds, source } }),
  );

  it.each(refusedLiterals)('a literal %s', (_, document) => refuse(document));

  it.each([
    ['a body that is no JSON', '{"query": "{ alerts { id } }", "variables": {"password": "cnry'],
    ['a body that is a string', '"cnry"'],
    ['variables that are a string', '{"query": "{ alerts { id } }", "variables": "cnry"}'],
    [
      'an operation that is not in the document',
      '{"query": "{ __typename }", "operationName": "cnry"}',
    ],
  ])('%s', async (_, body) => {
    await start(() => result({}));
    const response = await fetch(stack.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headerSets['headers of their own'] },
      body,
    });
    const text = await response.text();
    expect(text).toContain('"errors"');
    expect(leaksIn(published({ text, headers: response.headers }))).toEqual([]);
  });
});

describe('a secret that an upstream returns is answered only where it is selected:', () => {
  const pipe = {
    id: pipeIds.pipeId,
    name: 'invoices',
    source: { objectStorage: { path: 'in/', connectionString: 'cnry-returned' } },
  };
  const answers: Answering = ({ method, path }) => {
    if (path.endsWith('/keys')) {
      return result({ key: { id: 'k' }, keyId: 'id', keySecret: 'cnry-key-secret' });
    }
    if (path.endsWith('/password')) return result({ password: 'cnry-password' });
    return method === 'GET' ? result([pipe, { ...pipe, id: null }]) : result(pipe);
  };
  const key = { organizationId: serviceIds.organizationId, roles: ['ADMIN'] };
  const createKey = (selection: string) =>
    `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { ${selection} } }`;
  const pipes = (selection: string) =>
    `query ($organizationId: ID!, $serviceId: ID!) {
      service(organizationId: $organizationId, serviceId: $serviceId) { pipes { id source {
        __typename ... on ObjectStorageSource { ${selection} } } } } }`;

  it.each([
    ['keySecret', createKey('apiKey { id } keyId'), createKey('apiKey { id } keySecret'), key],
    [
      'password',
      passwordDocument.replace('password userErrors', 'userErrors'),
      passwordDocument,
      passwordInput,
    ],
  ])('%s', async (member, without, selecting, input) => {
    await start(answers);
    expect(leaksIn(published(await send(without, { input })))).toEqual([]);
    const answer = await send(selecting, { input });
    expect(leaksIn(answer.text)).toHaveLength(1);
    const [payload] = Object.values<Record<string, unknown>>(answer.body.data);
    expect(payload?.[member]).toMatch(/^cnry-/);
    expect(leaksIn(published({ ...answer, text: '' }))).toEqual([]);
  });

  it('connectionString, in reads and writes', async () => {
    await start(answers);
    expect(leaksIn(published(await send(pipes('path'), serviceIds)))).toEqual([]);
    expect(stack.log()).toContain('listPipes');
    const answer = await send(pipes('path connectionString'), serviceIds);
    expect(leaksIn(answer.text)).toEqual([expect.stringContaining('"connectionString":"cnry-ret')]);
    expect(leaksIn(published({ ...answer, text: '' }))).toEqual([]);
    const write = secretWrites[7];
    expect(leaksIn(published(await send(write?.document ?? '', write?.variables)))).toEqual([]);
  });

  it('not even there when it has the wrong type', async () => {
    const wrong = { value: ['cnry-deep'] };
    const source = { objectStorage: { connectionString: wrong } };
    await start(({ path }) =>
      path.endsWith('/pipes')
        ? result([{ ...pipe, source }])
        : result({ key: wrong, keySecret: wrong, password: wrong }),
    );
    for (const [document, variables] of [
      [pipes('connectionString'), serviceIds],
      [createKey('keySecret'), { input: key }],
      [passwordDocument, { input: serviceIds }],
    ] as const) {
      const answer = await send(document, variables);
      expect(answer.body.errors[0].extensions.code).toBe('UPSTREAM_BAD_RESPONSE');
      expect(leaksIn(published(answer))).toEqual([]);
    }
  });
});

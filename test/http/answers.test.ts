import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { json, type Stack, startStack } from '../support/harness.ts';
import { asJson, read, startOperations, write } from '../support/http/operations.ts';
import {
  accessControl,
  preflight,
  type Sending,
  sendChunked,
  sendSized,
} from '../support/http/requests.ts';

const document = (query: string): string => JSON.stringify({ query });
const posted = (body: string, headers: Readonly<Record<string, string>> = {}): Sending => ({
  ...{ method: 'POST', body },
  headers: { ...asJson, ...headers },
});
const inUrl = (query: string): string => `/graphql?${new URLSearchParams({ query })}`;
const accepting = (accept: string): Sending => ({ headers: { accept } });

interface Kind {
  readonly title: string;
  readonly status: number;
  readonly path: string;
  readonly sending: Sending;
}

/** One request for every kind of answer: what sends it, its status and its path. */
const kinds: readonly Kind[] = (
  [
    ['a result', 200, posted(document(read))],
    ['a result of a mutation', 200, posted(document(write))],
    ['a stream of events', 200, posted(document(read), { accept: 'text/event-stream' })],
    ['a multipart answer', 200, posted(document(read), { accept: 'multipart/mixed' })],
    ['a syntax error', 200, posted(document('{'))],
    ['an unknown field', 200, posted(document('{ nothing }'))],
    ['an error of credentials', 200, posted(document(read), { 'observability-authorization': '' })],
    ['for a body that is not JSON', 400, posted('{"')],
    ['for a body above the limit', 413, posted(`{ __typename }${' '.repeat(300_000)}`)],
    ['for a body of another type', 415, posted(document(read), { 'content-type': 'text/plain' })],
    ['for who accepts nothing', 406, posted(document(read), { accept: 'image/png' })],
    ['a result of GET', 200, accepting('application/json'), inUrl('{ __typename }')],
    ['for a mutation by GET', 405, accepting('application/json'), inUrl(write)],
    ['for DELETE', 405, { method: 'DELETE' }],
    ['the page of GraphiQL', 200, accepting('text/html')],
    ['for another path', 404, {}, '/elsewhere'],
    ['of the root', 200, {}, '/'],
    ['of /healthz', 200, {}, '/healthz'],
    ['of /readyz', 200, {}, '/readyz'],
  ] as const
).map(([title, status, sending, path = '/graphql']) => ({ title, status, sending, path }));

let stack: Stack;
beforeEach(() => {
  stack.calls.length = 0;
});
const answerOf = ({ path, sending }: Kind, headers: Readonly<Record<string, string>> = {}) =>
  sendSized(new URL(path, stack.url), { ...sending, headers: { ...sending.headers, ...headers } });

const listed = ['https://app.example', 'https://tools.example:8443'];
const strangers = [
  ...['https://elsewhere.example', 'null', 'https://app.example.elsewhere.example'],
  ...['https://app.example@elsewhere.example', 'https://elsewhereapp.example'],
  ...['https://appxexample', 'http://app.example', 'https://app.example:444'],
  ...['https://app.example/', listed.join(), 'https://tools.example', '*', 'constructor'],
];

describe('an answer', () => {
  beforeAll(async () => {
    // An upstream's demand for a password would have the browser ask its user for one.
    stack = await startStack({
      management: () => ({ ...json({}, 401), headers: { 'www-authenticate': 'Basic' } }),
      observability: () => ({ ...json({}, 401), headers: { 'www-authenticate': 'Bearer' } }),
    });
  });
  afterAll(() => stack.close());

  it.each(kinds)(
    '$title tells browsers to do nothing with it, and nobody what answers',
    async (kind) => {
      const { status, headers } = await answerOf(kind);
      const isPage = headers.get('content-type')?.startsWith('text/html') === true;
      expect(status).toBe(kind.status);
      expect(Object.fromEntries(headers)).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        ...(!isPage && { 'content-security-policy': "default-src 'none'; frame-ancestors 'none'" }),
      });
      for (const name of ['server', 'x-powered-by', 'www-authenticate', 'set-cookie'])
        expect(headers.has(name)).toBe(false);
    },
  );

  it.each(kinds)('$title is read by no page of another origin', async (kind) => {
    for (const origin of ['https://app.example', 'null', new URL(stack.url).origin])
      expect(accessControl(await answerOf(kind, { origin }))).toEqual([]);
  });
});

describe('where origins are listed', () => {
  beforeAll(async () => {
    stack = await startOperations({ corsOrigins: listed });
  });
  afterAll(() => stack.close());

  it.each(kinds)('their pages read an answer $title, and no others do', async (kind) => {
    for (const origin of listed) {
      const answer = await answerOf(kind, { origin });
      expect(answer.headers.get('vary')?.toLowerCase()).toContain('origin');
      expect(accessControl(answer)).toEqual([
        `access-control-allow-origin: ${origin}`,
        'access-control-expose-headers: age, x-request-id',
      ]);
    }
    for (const origin of [...strangers, undefined])
      expect(accessControl(await answerOf(kind, origin === undefined ? {} : { origin }))).toEqual(
        [],
      );
  });

  it('their pages are told before a request what they may send, and others ask in vain', async () => {
    for (const origin of listed) {
      const { status, headers } = await preflight(stack.url, origin);
      expect([status, headers.get('access-control-allow-origin')]).toEqual([204, origin]);
      expect(headers.get('access-control-allow-methods')).toBe('GET, POST');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      const names = headers.get('access-control-allow-headers')?.split(', ');
      for (const name of [...Object.keys(asJson), 'authorization', 'cache-control'])
        expect(names).toContain(name);
    }
    for (const origin of strangers)
      expect(accessControl(await preflight(stack.url, origin))).toEqual([]);
    expect(stack.calls).toEqual([]);
  });

  it('their simple requests execute nothing either', async () => {
    const headers = { ...asJson, 'content-type': 'text/plain', origin: listed[0] ?? '' };
    for (const way of [sendSized, sendChunked]) {
      const answer = await way(stack.url, { method: 'POST', headers, body: document(write) });
      expect(answer.status).toBe(415);
    }
    expect(stack.callList()).toEqual([]);
  });
});

describe('CORS_ORIGINS and CORS_HEADERS', () => {
  it.each([
    [' ', []],
    [
      ' https://app.example , http://localhost:3000',
      ['https://app.example', 'http://localhost:3000'],
    ],
  ])('%j opens %j', async (CORS_ORIGINS, open) => {
    const { url } = await startGateway({ CORS_ORIGINS });
    for (const origin of ['https://app.example', 'http://localhost:3000', 'https://x.example']) {
      const found = accessControl(await sendSized(url, { headers: { origin } }));
      expect([origin, found.length > 0]).toEqual([origin, open.some((each) => each === origin)]);
    }
  });

  it('keep the gateway from starting where they are wrong, and are told together', async () => {
    for (const CORS_ORIGINS of ['*', 'null', 'app.example', 'https://app.example/path', 'a,,b'])
      await expect(startGateway({ CORS_ORIGINS })).rejects.toThrow(
        /^CORS_ORIGINS must be .+, got /,
      );
    const wrong = { CORS_ORIGINS: 'https://app.example/,*', CORS_HEADERS: 'x-team,*,a b,,x:y' };
    await expect(startGateway(wrong)).rejects.toThrow(
      [
        'CORS_ORIGINS must be origins such as https://app.example, separated by commas, got "https://app.example/, *"',
        'CORS_HEADERS must be names of headers such as x-team, separated by commas, got "*, a b, , x:y"',
      ].join('\n'),
    );
  });
});

describe('a preflight', () => {
  const page = 'https://app.example';
  const allowing = { CORS_ORIGINS: page };
  const ask = async (env: Readonly<Record<string, string>>, names: string, asked = {}) => {
    const gateway = await startGateway(env);
    const { origin = page, method = 'POST' }: { origin?: string; method?: string } = asked;
    const headers = {
      ...{ origin, 'access-control-request-method': method },
      'access-control-request-headers': names,
    };
    const answer = await sendSized(gateway.url, { method: 'OPTIONS', headers });
    const lines = gateway.lines.map((line) => JSON.parse(line));
    return { status: answer.status, answer, text: await answer.text(), lines };
  };

  it.each([
    [{}, 'apollographql-client-name,apollographql-client-version,content-type'],
    [{}, 'baggage,sentry-trace,traceparent,tracestate'],
    [
      {},
      'x-datadog-origin,x-datadog-parent-id,x-datadog-sampling-priority,x-datadog-tags,x-datadog-trace-id',
    ],
    [{}, 'cache-control,sluice-explain,x-request-id'],
    [{ CORS_HEADERS: ' X-Team ,x-page' }, 'apollographql-client-name,x-page,x-team'],
  ])('with %j lets pages of a listed origin send %s', async (env, names) => {
    const { status, answer, text, lines } = await ask({ ...allowing, ...env }, names);
    const allowed = answer.headers.get('access-control-allow-headers')?.split(', ');
    expect([status, text, lines]).toEqual([204, '', []]);
    expect(allowed).toEqual(expect.arrayContaining(names.split(',')));
  });

  const ofHeader =
    'Pages of other origins may not send x-team, x-page: add it to the setting CORS_HEADERS.';
  const ofOrigin = `Pages of ${page} may not read answers: the setting CORS_ORIGINS does not list this origin.`;
  // A browser says which header it is only if the answer is a success.
  it.each([
    ['a header', allowing, 'content-type,X-Team, x-page', 200, ofHeader, 'CORS_HEADERS'],
    [
      'an origin beside others',
      { CORS_ORIGINS: 'https://x.example' },
      '',
      403,
      ofOrigin,
      'CORS_ORIGINS',
    ],
    ['an origin where none is', {}, 'content-type', 403, ofOrigin, 'CORS_ORIGINS'],
  ])(
    'names %s that is not listed with its setting, in the answer and in the log',
    async (...row) => {
      const [, env, names, status, finding, setting] = row;
      const { answer, text, lines } = await ask(env, names);
      expect([answer.status, text]).toEqual([status, `${finding}\n`]);
      expect(answer.headers.get('access-control-allow-origin')).toBe(status === 200 ? page : null);
      expect(lines).toMatchObject([{ level: 40, msg: 'refused a preflight', setting, finding }]);
    },
  );

  it('names a method that no page may send', async () => {
    const { status, text } = await ask(allowing, 'content-type', { method: 'DELETE' });
    expect([status, text]).toEqual([
      200,
      'Pages of other origins may send GET and POST, not DELETE.\n',
    ]);
  });

  it('of a long origin leaves a short line, and of markup is no page', async () => {
    const long = await ask(allowing, '', { origin: `https://${'a'.repeat(9000)}` });
    expect(long.lines[0].finding).toHaveLength(500);
    const { answer } = await ask(allowing, '', { origin: '<script>alert(1)</script>' });
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('/', () => {
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  const client = { accept: 'application/graphql-response+json, application/json' };
  const plain = 'text/plain; charset=utf-8';
  const line = 'The GraphQL endpoint is /graphql.\n';
  const off = { GRAPHIQL: 'off' };
  const to = { location: 'graphql', vary: 'accept' };
  const allow = { allow: 'GET, HEAD' };

  it.each([
    ['GET', '/', {}, browser, 302, to, ''],
    ['HEAD', '/', {}, browser, 302, to, ''],
    ['GET', '/', {}, {}, 200, { 'content-type': plain }, line],
    ['GET', '/', {}, { accept: '*/*' }, 200, {}, line],
    ['GET', '/', {}, client, 200, {}, line],
    ['GET', '/', off, browser, 200, {}, line],
    ['HEAD', '/', {}, {}, 200, { 'content-type': plain }, ''],
    ['POST', '/', {}, {}, 405, allow, line],
    ['OPTIONS', '/', {}, {}, 405, allow, line],
    ['GET', '/index.html', {}, browser, 404, { 'content-type': plain }, line],
    ['POST', '/graphq', {}, browser, 404, {}, line],
    ['OPTIONS', '/graphql/files/none.js', {}, browser, 404, {}, line],
  ])('%s %s with %j, %j: %d', async (method, path, env, headers, status, expected, body) => {
    const { url } = await startGateway(env);
    const answer = await sendSized(new URL(path, url), { method, headers });
    expect([answer.status, await answer.text()]).toEqual([status, body]);
    expect(Object.fromEntries(answer.headers)).toMatchObject(expected);
  });

  it('says nothing of the request, the settings or the upstreams', async () => {
    const { url } = await startGateway({ HOST: 'cnry' });
    const headers = { host: 'cnry.example', authorization: 'Bearer cnry', 'x-request-id': 'cnry' };
    const answer = await sendSized(new URL('/?query=cnry', url), { headers });
    expect(await answer.text()).toBe(line);
    expect(JSON.stringify([...answer.headers])).not.toMatch(/cnry|sluice|127\.0\.0\.1|yoga|node/i);
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { json, type Stack, startStack } from '../support/harness.ts';
import { asJson, read, startOperations, write } from '../support/http/operations.ts';
import { accessControl, type Sending, sendSized } from '../support/http/requests.ts';

const document = (query: string): string => JSON.stringify({ query });
const posted = (body: string, headers: Readonly<Record<string, string>> = {}): Sending => ({
  ...{ method: 'POST', body },
  headers: { ...asJson, ...headers },
});
const inUrl = (query: string): string => `/graphql?${new URLSearchParams({ query })}`;
const accepting = (accept: string): Sending => ({ headers: { accept } });

/** One request for every kind of answer. */
type Kind = [title: string, status: number, sending: Sending, path?: string];
const kinds: readonly Kind[] = [
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
];

const listed = ['https://app.example', 'https://tools.example:8443'];
const strangers = `https://elsewhere.example null https://app.example.elsewhere.example
  https://app.example@elsewhere.example https://elsewhereapp.example https://appxexample
  http://app.example https://app.example:444 https://app.example/ ${listed.join()}
  https://tools.example * constructor`.split(/\s+/);

let listing: Stack;
let closed: Stack;
beforeAll(async () => {
  listing = await startOperations({ corsOrigins: listed });
  // An upstream's demand for a password would have the browser ask its user for one.
  closed = await startStack({
    management: () => ({ ...json({}, 401), headers: { 'www-authenticate': 'Basic' } }),
    observability: () => ({ ...json({}, 401), headers: { 'www-authenticate': 'Bearer' } }),
  });
  return () => Promise.all([listing.close(), closed.close()]);
});

it.each(kinds)(
  'an answer %s is not kept, framed or guessed at, names no server, and is read by pages of listed origins alone',
  async (_, expected, sending, path = '/graphql') => {
    const send = (stack: Stack, headers = {}) => {
      const sent = { ...sending, headers: { ...sending.headers, ...headers } };
      return sendSized(new URL(path, stack.url), sent);
    };
    const { status, headers } = await send(closed);
    const isPage = headers.get('content-type')?.startsWith('text/html') === true;
    expect(status).toBe(expected);
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      ...(!isPage && { 'content-security-policy': "default-src 'none'; frame-ancestors 'none'" }),
    });
    for (const name of ['server', 'x-powered-by', 'www-authenticate', 'set-cookie'])
      expect(headers.has(name)).toBe(false);
    for (const origin of ['https://app.example', 'null', new URL(closed.url).origin])
      expect(accessControl(await send(closed, { origin }))).toEqual([]);

    for (const origin of listed) {
      const answer = await send(listing, { origin });
      expect(answer.headers.get('vary')?.toLowerCase()).toContain('origin');
      expect(accessControl(answer)).toEqual([
        `access-control-allow-origin: ${origin}`,
        'access-control-expose-headers: age, x-request-id',
      ]);
    }
    for (const given of [...strangers.map((origin) => ({ origin })), {}])
      expect(accessControl(await send(listing, given))).toEqual([]);
  },
);

describe('a preflight', () => {
  const page = 'https://app.example';
  const allowing = { CORS_ORIGINS: page };
  const ask = async (
    env: Readonly<Record<string, string>>,
    names: string,
    { origin = page, method = 'POST' } = {},
  ) => {
    const { url, lines } = await startGateway(env);
    const headers = {
      ...{ origin, 'access-control-request-method': method },
      'access-control-request-headers': names,
    };
    const answer = await sendSized(url, { method: 'OPTIONS', headers });
    return { answer, text: await answer.text(), lines: lines.map((line) => JSON.parse(line)) };
  };

  it.each([
    [{}, Object.keys(asJson).join()],
    [{}, 'apollographql-client-name,apollographql-client-version,content-type'],
    [{}, 'baggage,sentry-trace,traceparent,tracestate'],
    [{}, 'x-datadog-origin,x-datadog-parent-id,x-datadog-sampling-priority'],
    [{ CORS_HEADERS: ' X-Team ,x-page' }, 'apollographql-client-name,x-page,x-team'],
  ])('a preflight with %j lets pages of a listed origin send %s', async (env, names) => {
    const { answer, text, lines } = await ask({ ...allowing, ...env }, names);
    const allowed = answer.headers.get('access-control-allow-headers')?.split(', ');
    expect([answer.status, text, lines]).toEqual([204, '', []]);
    expect(answer.headers.get('access-control-allow-origin')).toBe(page);
    expect(answer.headers.get('access-control-allow-methods')).toBe('GET, POST');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(allowed).toEqual(expect.arrayContaining(names.split(',')));
  });

  const other = { CORS_ORIGINS: 'https://x.example' };
  const ofHeader =
    'Pages of other origins may not send x-team, x-page: add it to the setting CORS_HEADERS.';
  const ofOrigin = `Pages of ${page} may not read answers: the setting CORS_ORIGINS does not list this origin.`;
  // A browser says which header it is only if the answer is a success.
  it.each([
    ['a header', allowing, 'content-type,X-Team, x-page', 200, ofHeader, 'CORS_HEADERS'],
    ['an origin beside others', other, '', 403, ofOrigin, 'CORS_ORIGINS'],
    ['an origin where none is', {}, 'content-type', 403, ofOrigin, 'CORS_ORIGINS'],
  ])(
    'a preflight names %s that is not listed with its setting, in the answer and in the log',
    async (...row) => {
      const [, env, names, status, finding, setting] = row;
      const { answer, text, lines } = await ask(env, names);
      expect([answer.status, text]).toEqual([status, `${finding}\n`]);
      expect(answer.headers.get('access-control-allow-origin')).toBe(status === 200 ? page : null);
      expect(lines).toMatchObject([
        { level: 'warn', msg: 'refused a preflight', setting, finding },
      ]);
    },
  );

  it('a preflight names a method that no page may send', async () => {
    const { answer, text } = await ask(allowing, 'content-type', { method: 'DELETE' });
    const said = 'Pages of other origins may send GET and POST, not DELETE.\n';
    expect([answer.status, text]).toEqual([200, said]);
  });

  it('a preflight of a long origin leaves a short line, and of markup is no page', async () => {
    const long = await ask(allowing, '', { origin: `https://${'a'.repeat(9000)}` });
    expect(long.lines[0].finding).toHaveLength(500);
    const { answer } = await ask(allowing, '', { origin: '<script>alert(1)</script>' });
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('a path without GraphQL', () => {
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  const client = { accept: 'application/graphql-response+json, application/json' };
  const plain = { 'content-type': 'text/plain; charset=utf-8' };
  const line = 'The GraphQL endpoint is /graphql.\n';
  const off = { GRAPHIQL: 'off' };
  const to = { location: 'graphql', vary: 'accept' };
  const allow = { allow: 'GET, HEAD' };

  it.each([
    ['GET', '/', {}, browser, 302, to, ''],
    ['GET', '/', {}, {}, 200, plain, line],
    ['GET', '/', {}, client, 200, {}, line],
    ['GET', '/', off, browser, 200, {}, line],
    ['HEAD', '/', {}, {}, 200, plain, ''],
    ['POST', '/', {}, {}, 405, allow, line],
    ['GET', '/index.html', {}, browser, 404, plain, line],
    ['GET', '/elsewhere/healthz', {}, {}, 404, plain, line],
    ['POST', '/graphq', {}, browser, 404, {}, line],
    ['OPTIONS', '/graphql/files/none.js', {}, browser, 404, {}, line],
  ])(
    'a path without GraphQL is answered: %s %s with %j, %j: %d',
    async (method, path, env, headers, status, expected, body) => {
      const { url } = await startGateway(env);
      const answer = await sendSized(new URL(path, url), { method, headers });
      expect([answer.status, await answer.text()]).toEqual([status, body]);
      expect(Object.fromEntries(answer.headers)).toMatchObject(expected);
    },
  );

  it('a path without GraphQL says nothing of the request, the settings or the upstreams', async () => {
    const { url } = await startGateway({ HOST: 'cnry' });
    const headers = { host: 'cnry.example', authorization: 'Bearer cnry', 'x-request-id': 'cnry' };
    const answer = await sendSized(new URL('/?query=cnry', url), { headers });
    expect(await answer.text()).toBe(line);
    expect(JSON.stringify([...answer.headers])).not.toMatch(/cnry|sluice|127\.0\.0\.1|yoga|node/i);
  });
});

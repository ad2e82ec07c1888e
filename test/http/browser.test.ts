import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { json, type Stack, startStack } from '../support/harness.ts';
import { answerKinds, answerOf } from '../support/http/answers.ts';
import { asJson, read, startOperations, write } from '../support/http/operations.ts';
import {
  accessControl,
  preflight,
  type Sending,
  sendSized,
  ways,
} from '../support/http/requests.ts';

let stack: Stack;
beforeEach(() => {
  stack.calls.length = 0;
});

/** All that a form, an image, a link or a script may send anywhere, and no server is asked first. */
describe('a request that a browser sends to any server', () => {
  beforeAll(async () => {
    stack = await startOperations();
  });
  afterAll(() => stack.close());

  const { 'content-type': _, ...credentials } = asJson;
  const bodyOf = (query: string): string => JSON.stringify({ query });
  const multipart = (name: string, value: string): string =>
    `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n--b--\r\n`;

  const types: readonly (readonly [
    title: string,
    type: string | undefined,
    body: (query: string) => string,
  ])[] = [
    ['a form', 'application/x-www-form-urlencoded', (query) => `${new URLSearchParams({ query })}`],
    ['JSON called a form', 'application/x-www-form-urlencoded', bodyOf],
    [
      'a form of text whose name and value make JSON',
      'text/plain',
      (query) => `{"query":${JSON.stringify(query)},"extensions":{"x":"="}}`,
    ],
    ['text with a charset', 'text/plain;charset=UTF-8', bodyOf],
    ['text that mentions JSON', 'text/plain; application/json', bodyOf],
    ['text with a parameter of JSON', 'text/plain;a="application/json"', bodyOf],
    ['text and JSON', 'text/plain,application/json', bodyOf],
    ['a form in parts', 'multipart/form-data; boundary=b', (query) => multipart('query', query)],
    [
      'an upload',
      'multipart/form-data; boundary=b',
      (query) => multipart('operations', bodyOf(query)),
    ],
    ['JSON called a form in parts', 'multipart/form-data; boundary=application/json', bodyOf],
    ['application/graphql', 'application/graphql', (query) => query],
    ['application/graphql with a charset', 'application/graphql; charset=utf-8', (query) => query],
    ['a blank type', '', bodyOf],
    ['no type', undefined, bodyOf],
  ];
  const origin = { origin: 'https://elsewhere.example' };
  const typed = (type: string | undefined): Readonly<Record<string, string>> => ({
    ...credentials,
    ...origin,
    ...(type !== undefined && { 'content-type': type }),
  });

  describe.each(ways)('with %s', (__, way) => {
    describe.each([
      ['mutation', write],
      ['query', read],
    ])('executes no %s', (___, query) => {
      it.each(types)('posted as %s', async (_title, type, body) => {
        const answer = await way(stack.url, {
          method: 'POST',
          headers: typed(type),
          body: body(query),
        });
        expect(answer.status).toBe(415);
        expect((await answer.json()).data).toBeUndefined();
        expect(stack.callList()).toEqual([]);
      });

      it('posted as text, with all it takes in the URL', async () => {
        const answer = await way(`${stack.url}?${new URLSearchParams({ query })}`, {
          method: 'POST',
          headers: typed('text/plain'),
          body: '',
        });
        expect(answer.status).toBe(415);
        expect(stack.callList()).toEqual([]);
      });
    });
  });

  const byUrl = (query: string, sending: Sending) =>
    sendSized(`${stack.url}?${new URLSearchParams({ query })}`, sending);

  const accepts = [undefined, '*/*', 'application/json', 'application/graphql-response+json'];
  it.each(accepts)('executes no mutation by GET, accepting %s', async (accept) => {
    const answer = await byUrl(write, {
      headers: { ...credentials, ...origin, ...(accept !== undefined && { accept }) },
    });
    expect(answer.status).toBe(405);
    expect((await answer.json()).data).toBeUndefined();
    expect(stack.callList()).toEqual([]);
  });

  it.each(['text/html', 'text/event-stream', 'multipart/mixed', 'image/avif,image/webp,*/*'])(
    'executes no mutation by GET, accepting %s',
    async (accept) => {
      await byUrl(write, { headers: { ...credentials, accept } });
      expect(stack.callList()).toEqual([]);
    },
  );

  it('executes no mutation by GET that stands beside a query', async () => {
    const url = new URL(stack.url);
    url.searchParams.set('query', `${read} ${write}`);
    url.searchParams.set('operationName', 'Scale');
    expect((await sendSized(url, { headers: credentials })).status).toBe(405);
    expect(stack.callList()).toEqual([]);
  });

  it('executes nothing by HEAD', async () => {
    for (const query of [write, read]) {
      await byUrl(query, { method: 'HEAD', headers: credentials });
      expect(stack.callList()).toEqual([]);
    }
  });

  const oddTypes = types.flatMap(([, type]) => (type ? [type] : []));
  it.each([...new Set([...oddTypes, 'application/jsonx', 'application/octet-stream', 'x'])])(
    'executes nothing by GET with the content type %s',
    async (type) => {
      for (const query of [write, read]) {
        const answer = await byUrl(query, {
          headers: { ...typed(type), accept: 'application/json' },
        });
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect(answer.status).toBeLessThan(500);
        expect(await answer.text()).not.toContain('"data"');
        expect(stack.callList()).toEqual([]);
      }
    },
  );

  it('executes nothing by other methods', async () => {
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      for (const query of [write, read]) {
        await byUrl(query, { method, headers: asJson, body: bodyOf(query) });
        expect(stack.callList()).toEqual([]);
      }
    }
  });

  it('executes a query by GET: its answer is for nobody but who may read it', async () => {
    const answer = await byUrl(read, { headers: { ...credentials, ...origin } });
    expect(answer.status).toBe(200);
    expect(accessControl(answer)).toEqual([]);
    expect(stack.calls).toHaveLength(1);
  });
});

describe('the headers of an answer', () => {
  beforeAll(async () => {
    stack = await startStack({
      // An upstream's demand for a password would have the browser ask its user for one.
      management: () => ({
        ...json({ status: 401 }, 401),
        headers: { 'www-authenticate': 'Basic' },
      }),
      observability: () => ({
        ...json({}, 401),
        headers: { 'www-authenticate': 'Bearer realm="x"' },
      }),
    });
  });
  afterAll(() => stack.close());

  const onJson = "default-src 'none'; frame-ancestors 'none'";

  it.each(answerKinds)('that is $title tell browsers to do nothing with it', async (kind) => {
    const answer = await answerOf(stack, kind);
    const header = (name: string) => answer.headers.get(name);
    expect(answer.status).toBe(kind.status);
    expect(header('x-content-type-options')).toBe('nosniff');
    expect(header('referrer-policy')).toBe('no-referrer');
    if (kind.graphql) expect(header('cache-control')).toBe('no-store');
    if (header('content-type')?.startsWith('text/html') !== true) {
      expect(header('content-security-policy')).toBe(onJson);
    }
    expect(answer.headers.has('www-authenticate')).toBe(false);
    expect(answer.headers.has('set-cookie')).toBe(false);
  });

  it('that a preflight gets are the same', async () => {
    const { headers } = await preflight(stack.url, 'https://elsewhere.example');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('content-security-policy')).toBe(onJson);
  });

  it('never name what answers', async () => {
    for (const kind of answerKinds) {
      const { headers } = await answerOf(stack, kind);
      expect([headers.get('server'), headers.get('x-powered-by')]).toEqual([null, null]);
    }
  });
});

import { auditServer } from 'graphql-http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { data, result, type Stack, startStack } from '../support/harness.ts';
import { read } from '../support/http/operations.ts';
import { sendSized, ways } from '../support/http/requests.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ management: () => result([]), observability: () => data([]) });
});
beforeEach(() => {
  stack.calls.length = 0;
});
afterAll(() => stack.close());

/** How many requests the audits send, each its own. */
const audits = 61;

const failed = async (fetchFn?: unknown) => {
  const results = await auditServer({ url: stack.url, fetchFn });
  expect(results).toHaveLength(audits);
  return results.flatMap((audit) =>
    audit.status === 'ok' ? [] : [`${audit.id} ${audit.name}: ${audit.reason}`],
  );
};

describe('every audit of GraphQL over HTTP passes', () => {
  it('with fetch as it is', async () => {
    expect(await failed()).toEqual([]);
  });

  it.each(ways)('with nothing in the requests but what they name, and %s', async (_, way) => {
    expect(await failed(way)).toEqual([]);
  });
});

const asJson = { 'content-type': 'application/json', accept: 'application/json' };
const inUrl = (parameters: Readonly<Record<string, string>>): string =>
  `${stack.url}?${new URLSearchParams(parameters)}`;

describe('a request that no client sends is no fault of the gateway', () => {
  const requests: readonly (readonly [name: string, send: (host: string) => Promise<Response>])[] =
    [
      ...ways.map(
        ([name, way]) =>
          [
            `POST with ${name}`,
            (host: string) =>
              way(stack.url, {
                method: 'POST',
                headers: { ...asJson, host },
                body: JSON.stringify({ query: read }),
              }),
          ] as const,
      ),
      ['GET', (host) => sendSized(inUrl({ query: read }), { headers: { ...asJson, host } })],
      ['the page', (host) => sendSized(stack.url, { headers: { accept: 'text/html', host } })],
      [
        'another path',
        (host) => sendSized(new URL('/elsewhere', stack.url), { headers: { host } }),
      ],
      ['/healthz', (host) => sendSized(new URL('/healthz', stack.url), { headers: { host } })],
      ['/readyz', (host) => sendSized(new URL('/readyz', stack.url), { headers: { host } })],
    ];

  const hosts = ['[', 'a b', 'a:99999', 'a:b', '@', '%', '%00', 'a/b?c#d', 'a, b', 'é'];
  it.each(requests)('with a Host that is none: %s', async (_, send) => {
    for (const host of hosts) {
      const answer = await send(host);
      const html = answer.headers.get('content-type')?.startsWith('text/html') === true;
      // GraphiQL's own scripts have such words in them.
      const traced = !html && /^\s+at |node_modules/m.test(await answer.text());
      expect([host, answer.status < 500, traced]).toEqual([host, true, false]);
    }
  });

  it.each(['variables', 'extensions'])('with %s in the URL that are not JSON', async (name) => {
    for (const value of ['{', '{"a":}', 'x', '"', '[', '\u0000']) {
      const answer = await sendSized(inUrl({ query: read, [name]: value }), { headers: asJson });
      const { errors, data: nothing } = await answer.json();
      expect([value, answer.status, errors[0].extensions.code]).toEqual([
        value,
        400,
        'BAD_REQUEST',
      ]);
      expect(nothing).toBeUndefined();
    }
    expect(stack.calls).toEqual([]);
  });
});

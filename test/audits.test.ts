import { auditServer } from 'graphql-http';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { data, result, type Stack, startStack } from './harness.ts';
import { read } from './http-operations.ts';
import { nodeWay, shortWay, ways, yogaWay } from './http-ways.ts';

const seen = vi.hoisted(() => ({ byNode: 0, byYoga: 0 }));

vi.mock(import('../src/yoga.ts'), async (importOriginal) => {
  const original = await importOriginal();
  return {
    ...original,
    createYogaListener: (options) => {
      const listener = original.createYogaListener(options);
      return (request, response) => {
        seen.byYoga += 1;
        listener(request, response);
      };
    },
  };
});

vi.mock(import('../src/front.ts'), async (importOriginal) => {
  const original = await importOriginal();
  return {
    ...original,
    createFront: (options) => {
      const listener = original.createFront(options);
      return (request, response) => {
        seen.byNode += 1;
        listener(request, response);
      };
    },
  };
});

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ management: () => result([]), observability: () => data([]) });
});
beforeEach(() => {
  Object.assign(seen, { byNode: 0, byYoga: 0 });
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

  it('with nothing in the requests but what they name, so that the short way in takes what it can', async () => {
    expect(await failed(shortWay)).toEqual([]);
    expect(seen.byNode).toBeLessThan(audits);
  });

  it('with every request read by node:http', async () => {
    expect(await failed(nodeWay)).toEqual([]);
    expect(seen.byNode).toBe(audits);
    expect(seen.byYoga).toBeLessThan(audits);
  });

  it('with every request left to Yoga', async () => {
    expect(await failed(yogaWay)).toEqual([]);
    // It sees these too: two without a body, which the short way in does not take either.
    expect(seen).toEqual({ byNode: audits, byYoga: audits });
  });
});

describe('the ways in are told apart here as they should be', () => {
  it.each(ways)('by %s', async (name, way) => {
    const answer = await way(stack.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"query":"{ __typename }"}',
    });
    expect(await answer.json()).toEqual({ data: { __typename: 'Query' } });
    expect(seen).toEqual({
      byNode: name === 'the short way in' ? 0 : 1,
      byYoga: name === 'Yoga' ? 1 : 0,
    });
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
            `POST to ${name}`,
            (host: string) =>
              way(stack.url, {
                method: 'POST',
                headers: { ...asJson, host },
                body: JSON.stringify({ query: read }),
              }),
          ] as const,
      ),
      ['GET', (host) => shortWay(inUrl({ query: read }), { headers: { ...asJson, host } })],
      ['the page', (host) => shortWay(stack.url, { headers: { accept: 'text/html', host } })],
      ['another path', (host) => shortWay(new URL('/elsewhere', stack.url), { headers: { host } })],
      ['/healthz', (host) => shortWay(new URL('/healthz', stack.url), { headers: { host } })],
      ['/readyz', (host) => shortWay(new URL('/readyz', stack.url), { headers: { host } })],
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
      const answer = await shortWay(inUrl({ query: read, [name]: value }), { headers: asJson });
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

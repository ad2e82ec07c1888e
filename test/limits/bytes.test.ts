import { afterEach, describe, expect, it } from 'vitest';
import { credentials, type Stack } from '../support/harness.ts';
import { type HeaderLine, postRaw } from '../support/http/raw.ts';
import {
  cut,
  expectAccepted,
  postBody,
  startLimited,
  type WayAnswer,
} from '../support/limits/ways.ts';
import { withIds } from '../support/world/ids.ts';

let stack: Stack;
afterEach(() => stack.close());

const organization = withIds('organization(id: "organization-1")');
const _service = withIds('service(id: "service-1")');

describe('at most so many bytes of a body', () => {
  const bytes = (text: string) => Buffer.byteLength(text);
  /** A request of just so many bytes, some of which are parts of characters. */
  const bodyOf = (size: number): string => {
    const query = `{ ${organization} { name } } # äöü→😀`;
    const body = JSON.stringify({ query });
    return `${body.slice(0, -1)}${' '.repeat(size - bytes(body))}}`;
  };
  const entries: Readonly<Record<string, (body: string) => Promise<WayAnswer>>> = {
    'as application/json': (body) => postBody(stack, body),
    'as application/graphql-response+json': (body) =>
      postBody(stack, body, 'application/graphql-response+json'),
    'one chunk': (body) => postBody(stack, [body]),
    'many chunks': (body) => postBody(stack, cut(body, 50)),
  };

  it.each([
    ['600, as told', 600, { maxBodyBytes: 600 }],
    ['262144 by default', 262_144, undefined],
  ] as const)('%s', async (_, allowed, limits) => {
    stack = await startLimited(limits);
    for (const send of Object.values(entries)) {
      stack.calls.length = 0;
      expectAccepted(stack, await send(bodyOf(allowed)), true);
      stack.calls.length = 0;
      for (const size of [allowed + 1, allowed * 3]) {
        const answer = await send(bodyOf(size));
        expect(answer.status).toBe(413);
        expect(answer.body.errors).toMatchObject([
          { message: expect.any(String), extensions: { code: expect.any(String) } },
        ]);
        expect(stack.calls).toEqual([]);
      }
    }
  });

  it.each(Object.entries(entries))(
    'and the next request on the same connection is answered, after %s',
    async (_, send) => {
      stack = await startLimited();
      for (const size of [262_145, 300_000, 800_000, 3_000_000]) {
        expect((await send(bodyOf(size))).status).toBe(413);
        // The one connection that fetch has keeps, unless the gateway has closed it.
        expect((await send(bodyOf(500))).status).toBe(200);
        expect((await stack.query('{ __typename }')).status).toBe(200);
      }
    },
  );

  it('also of one that would be small once unpacked, and nothing is unpacked', async () => {
    stack = await startLimited();
    const { gzipSync } = await import('node:zlib');
    const small = gzipSync(bodyOf(500));
    const bomb = gzipSync(bodyOf(20 * 1024 * 1024));
    for (const body of [small, bomb]) {
      const response = await fetch(stack.url, {
        method: 'POST',
        headers: {
          ...credentials,
          'content-type': 'application/json',
          'content-encoding': 'gzip',
        },
        body: new Uint8Array(body),
      });
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.status).toBeLessThan(500);
      expect((await response.json()).errors).toHaveLength(1);
    }
    expect(stack.calls).toEqual([]);
  });
});

describe('at most so many bytes of headers', () => {
  const credentialLines: readonly HeaderLine[] = Object.entries(credentials);
  const send = (filler: number) =>
    postRaw(stack.url, `{ ${organization} { name } }`, [
      ...credentialLines,
      ['x-filler', 'f'.repeat(filler)],
    ]);

  /** The bytes of the whole section that the request above comes to, without its filler. */
  const sectionBytes = (): number => {
    const { host } = new URL(stack.url);
    const body = JSON.stringify({ query: `{ ${organization} { name } }` });
    const lines = [
      'POST /graphql HTTP/1.1',
      `Host: ${host}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      ...[...credentialLines, ['x-filler', '']].map(([name, value]) => `${name}: ${value}`),
    ];
    return lines.map((line) => line.length + 2).reduce((sum, length) => sum + length) + 2;
  };

  it.each([
    ['2000, as told', 2000, { maxHeaderBytes: 2000 }],
    ['16384 by default', 16_384, undefined],
  ] as const)('%s', async (_, allowed, limits) => {
    stack = await startLimited(limits);
    const fits = await send(allowed - sectionBytes());
    expect([fits.status, fits.body.errors]).toEqual([200, undefined]);
    expect(stack.calls).toHaveLength(1);
    stack.calls.length = 0;
    // Node leaves colons, blanks and line ends out of its count, so some bytes beyond still pass.
    let most = allowed - sectionBytes();
    let least: number = allowed;
    while (least - most > 1) {
      const middle = (most + least) >> 1;
      if ((await send(middle)).status === 200) most = middle;
      else least = middle;
    }
    expect(most).toBeLessThan(allowed - sectionBytes() + 100);
    stack.calls.length = 0;
    expect((await send(least)).status).toBe(431);
    expect(stack.calls).toEqual([]);
  });

  it('in the address of a GET as well', async () => {
    stack = await startLimited({ maxHeaderBytes: 2000 });
    const url = new URL(stack.url);
    url.searchParams.set('query', `{ ${organization} { name } } # ${'x'.repeat(2000)}`);
    const response = await fetch(url, { headers: credentials });
    expect(response.status).toBe(431);
    await response.text();
    expect(stack.calls).toEqual([]);
  });
});

import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { credentials, data, result, type Stack, startStack } from '../support/harness.ts';

let stack: Stack;
beforeEach(async () => {
  stack = await startStack({ management: () => result([]), observability: () => data([]) });
});
afterEach(() => stack.close());

/** A request of just so many bytes, some of which are parts of characters. */
const bodyOf = (size: number): Buffer<ArrayBuffer> => {
  const body = JSON.stringify({ query: '{ alerts { id } } # äöü→😀' }).slice(0, -1);
  return Buffer.from(`${body}${' '.repeat(size - Buffer.byteLength(body) - 1)}}`);
};

const post = (sent: RequestInit, headers: Readonly<Record<string, string>> = {}) =>
  fetch(stack.url, {
    method: 'POST',
    headers: { ...credentials, 'content-type': 'application/json', ...headers },
    ...sent,
  });

const whole = (body: Buffer<ArrayBuffer>) => post({ body });
const inChunks = (body: Buffer<ArrayBuffer>) => {
  const size = Math.ceil(body.length / 50);
  const stream = new ReadableStream({
    start: (controller) => {
      for (let at = 0; at < body.length; at += size) {
        controller.enqueue(new Uint8Array(body.subarray(at, at + size)));
      }
      controller.close();
    },
  });
  return post({ body: stream, ...{ duplex: 'half' } });
};

it.each([
  ['whole', whole],
  ['in chunks', inChunks],
])(
  'a body of 262 144 bytes is read, and no longer one, %s; the connection goes on',
  async (_, send) => {
    const refused = {
      message: 'The body may have at most 262144 bytes.',
      extensions: { code: 'REQUEST_ENTITY_TOO_LARGE', limit: 'bodyBytes', allowed: 262_144 },
    };
    for (const size of [262_145, 800_000, 3_000_000]) {
      const answer = await send(bodyOf(size));
      expect(answer.status).toBe(413);
      expect(await answer.json()).toMatchObject({ errors: [refused] });
      expect(stack.calls).toEqual([]);
      // The one connection that fetch has keeps, unless the gateway has closed it.
      expect((await stack.query('{ __typename }')).status).toBe(200);
    }
    expect(await (await send(bodyOf(262_144))).json()).toEqual({ data: { alerts: [] } });
  },
);

it('nothing is unpacked', async () => {
  for (const size of [500, 20 * 1024 * 1024]) {
    const answer = await post({ body: gzipSync(bodyOf(size)) }, { 'content-encoding': 'gzip' });
    expect(Math.floor(answer.status / 100)).toBe(4);
    expect((await answer.json()).errors).toHaveLength(1);
  }
  expect(stack.calls).toEqual([]);
});

it('headers of 16 384 bytes are read, and no longer ones, also those in the address of a GET', async () => {
  // Beside these, the section has the request line and six more headers; Node leaves some marks out of its count.
  for (const [size, status] of [
    [15_700, 200],
    [16_384, 431],
  ] as const) {
    expect((await post({ body: bodyOf(60) }, { 'x-filler': 'f'.repeat(size) })).status).toBe(
      status,
    );
    const query = `{alerts{id}}#${'x'.repeat(size)}`;
    const answer = await fetch(`${stack.url}?query=${encodeURIComponent(query)}`, {
      headers: credentials,
    });
    expect(answer.status).toBe(status);
    expect(stack.calls).toHaveLength(status === 200 ? 2 : 0);
    stack.calls.length = 0;
  }
});

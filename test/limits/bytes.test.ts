import { expect, it } from 'vitest';
import { credentials, stackInTest } from '../support/harness.ts';

const start = async () => {
  const stack = await stackInTest();
  const post = (sent: RequestInit, more: Readonly<Record<string, string>> = {}) => {
    const headers = { ...credentials, 'content-type': 'application/json', ...more };
    return fetch(stack.url, { method: 'POST', headers, ...sent });
  };
  return { ...stack, post };
};

/** A request of exactly this number of bytes; some characters have several. */
const bodyOf = (size: number): Buffer<ArrayBuffer> => {
  const body = JSON.stringify({ query: '{ alerts { id } } # äöü→😀' }).slice(0, -1);
  return Buffer.from(`${body}${' '.repeat(size - Buffer.byteLength(body) - 1)}}`);
};

it.each([
  ['whole', (body: Buffer<ArrayBuffer>) => ({ body })],
  [
    'in chunks',
    (body: Buffer<ArrayBuffer>) => ({ body: new Blob([body]).stream(), duplex: 'half' }),
  ],
])(
  'a body of 262 144 bytes is read, and a longer one is refused, %s; the next request is answered',
  async (_, sent) => {
    const { post, query, calls } = await start();
    const limit = { code: 'REQUEST_ENTITY_TOO_LARGE', limit: 'bodyBytes', allowed: 262_144 };
    const refused = { message: 'The body may have at most 262144 bytes.', extensions: limit };
    for (const size of [262_145, 800_000, 3_000_000]) {
      const answer = await post(sent(bodyOf(size)));
      expect(answer.status).toBe(413);
      expect(await answer.json()).toMatchObject({ errors: [refused] });
      expect(calls).toEqual([]);
      expect((await query('{ __typename }')).status).toBe(200);
    }
    expect(await (await post(sent(bodyOf(262_144)))).json()).toEqual({ data: { alerts: [] } });
  },
);

// Beside these, the section has the request line and six more headers; Node leaves some marks out of its count.
it.each([
  [15_700, 200],
  [16_384, 431],
])(
  'with %i bytes more in its head, also in the address of a GET, a request is answered %i',
  async (size, status) => {
    const { post, url, calls } = await start();
    const posted = await post({ body: bodyOf(60) }, { 'x-filler': 'f'.repeat(size) });
    const query = encodeURIComponent(`{alerts{id}}#${'x'.repeat(size)}`);
    const got = await fetch(`${url}?query=${query}`, { headers: credentials });
    expect([posted.status, got.status, calls.length]).toEqual([
      status,
      status,
      status === 200 ? 2 : 0,
    ]);
  },
);

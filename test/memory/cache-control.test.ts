import { beforeEach, describe, expect, it } from 'vitest';
import { credentials, data, type GraphQLAnswer, type Stack } from '../support/harness.ts';
import { postBytes } from '../support/http/raw.ts';
import {
  control,
  countingReads,
  document,
  type Shown,
  shown,
  startPaced,
} from '../support/pacing/requests.ts';
import { type Clock, stopTime } from '../support/pacing/time.ts';

let clock: Clock;
beforeEach(() => {
  clock = stopTime();
});

const ways: readonly (readonly [
  method: string,
  send: (stack: Stack, headers: Readonly<Record<string, string>>) => Promise<Shown>,
])[] = [
  ['POST', async (stack, headers) => shown(await stack.query(document, { headers }))],
  [
    'GET',
    async ({ url }, headers) => {
      const response = await fetch(`${url}?query=${encodeURIComponent(document)}`, {
        headers: { ...credentials, ...headers },
      });
      return shown({ headers: response.headers, body: await response.json() });
    },
  ],
];

describe.each(ways)('two seconds after a read a %s', (_, send) => {
  const second = async (headers: Readonly<Record<string, string>>) => {
    const stack = await startPaced();
    expect(await send(stack, {})).toEqual({ name: 'read 1', age: null });
    clock.advance(2000);
    return { answer: await send(stack, headers), calls: stack.calls.length };
  };

  it('without Cache-Control is answered with the kept read', async () => {
    expect(await second({})).toEqual({ answer: { name: 'read 1', age: '2' }, calls: 1 });
  });

  it.each([
    'no-cache',
    'No-Cache',
    'NO-CACHE',
    'no-cache, max-age=60',
    'max-age=60,no-cache',
    'max-age=60 , no-cache ,',
    'no-transform, no-cache',
    'no-cache=x',
    'no-store',
    'max-age=0',
    'max-age=1',
    'Max-Age=1',
    'MAX-AGE=1',
    'max-age = 1',
    'max-age="1"',
    'max-age=01',
    'max-age=60, max-age=1',
    'max-age=1, max-age=60',
    'max-stale=60, max-age=1',
    'max-age=abc',
    'max-age=',
    'max-age',
    'max-age=-1',
    'max-age=+60',
    'max-age=60s',
    'max-age=6e1',
    'max-age=60.5',
    'max-age="60',
  ])('that says %j is answered with a new read', async (value) => {
    expect(await second(control(value))).toEqual({
      answer: { name: 'read 2', age: null },
      calls: 2,
    });
  });

  it.each([
    '',
    ',',
    'max-age=2',
    'max-age=3',
    'max-age=60',
    'max-age="60"',
    'max-age=0060',
    'max-age=31536000',
    'max-age=2147483648',
    'max-age=99999999999999999999',
    'max-stale',
    'max-stale=60',
    'no-transform',
    'only-if-cached',
    'nocache',
    'not-no-cache',
    'max-age2=1',
    'private',
  ])('that says %j is answered with what was read', async (value) => {
    expect(await second(control(value))).toEqual({
      answer: { name: 'read 1', age: '2' },
      calls: 1,
    });
  });
});

it('a Cache-Control header sent twice counts as one header with both values', async () => {
  const stack = await startPaced();
  await stack.query(document);
  clock.advance(2000);
  const send = (...values: readonly string[]) =>
    postBytes(stack.url, {
      document,
      headers: [
        ...Object.entries(credentials),
        ...values.map((value) => ['Cache-Control', value] as const),
      ],
    });
  expect(await send('max-age=60', 'no-transform')).toContain('read 1');
  expect(await send('max-age=60', 'max-age=1')).toContain('read 2');
  expect(stack.calls).toHaveLength(2);
});

it('a read made for no-cache is kept for later requests', async () => {
  const stack = await startPaced();
  await stack.query(document);
  clock.advance(1);
  expect(shown(await stack.query(document, { headers: control('no-cache') })).name).toBe('read 2');
  expect(shown(await stack.query(document)).name).toBe('read 2');
  expect(stack.calls).toHaveLength(2);
});

it('holds for what a mutation selects below its payload too', async () => {
  let reads = 0;
  const stack = await startPaced(({ method }) => {
    if (method === 'POST') return data({ id: 'd1', name: 'made' });
    reads += 1;
    return data([{ id: 'a1', name: `read ${reads}`, dashboard: 'd1' }]);
  });
  const write =
    'mutation { createDashboard(input: { name: "n" }) { dashboard { alerts { name } } } }';
  await stack.query(document);
  const namesAfter = async (headers = {}) =>
    (await stack.query(write, { headers })).body.data.createDashboard.dashboard.alerts;
  expect(await namesAfter()).toEqual([{ name: 'read 1' }]);
  clock.advance(1);
  expect(await namesAfter(control('no-cache'))).toEqual([{ name: 'read 2' }]);
});

describe('nothing lets a browser or a proxy keep an answer:', () => {
  const expectUnkept = ({ status, headers }: Pick<GraphQLAnswer, 'status' | 'headers'>): void => {
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    for (const name of ['etag', 'last-modified', 'expires']) expect(headers.has(name)).toBe(false);
  };

  it('neither one that was read for it, nor one from memory, fresh or not', async () => {
    const stack = await startPaced(countingReads(), {
      observabilityRate: { calls: 1, windowMs: 10_000 },
    });
    const ages: (string | null)[] = [];
    for (const wait of [0, 2000, 3000]) {
      clock.advance(wait);
      const answer = await stack.query(document);
      expectUnkept(answer);
      ages.push(answer.headers.get('age'));
    }
    expect(ages).toEqual([null, '2', '5']);
  });

  it('and a conditional request has a whole answer', async () => {
    const stack = await startPaced();
    await stack.query(document);
    for (const headers of [
      { 'if-none-match': '*' },
      { 'if-none-match': '"x"' },
      { 'if-modified-since': new Date(Date.now() + 60_000).toUTCString() },
    ]) {
      const response = await fetch(`${stack.url}?query=${encodeURIComponent(document)}`, {
        headers: { ...credentials, ...headers },
      });
      expectUnkept(response);
      expect((await response.json()).data).toEqual({ alerts: [{ name: 'read 1' }] });
    }
  });
});

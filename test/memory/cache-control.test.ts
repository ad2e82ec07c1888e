import { beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { createGate } from '../support/faults/gate.ts';
import { credentials, data, type GraphQLAnswer, type Stack } from '../support/harness.ts';
import { postBytes } from '../support/http/raw.ts';
import {
  begin,
  control,
  countingReads,
  document,
  shown,
  startPaced,
} from '../support/pacing/requests.ts';
import { type Clock, stopTime } from '../support/pacing/time.ts';

let clock: Clock;
beforeEach(() => {
  clock = stopTime();
});

const anew = [
  ...['no-cache', 'NO-CACHE', 'max-age=60,no-cache', 'max-age=60 , no-cache ,', 'no-cache=x'],
  ...['no-store', 'max-age=0', 'Max-Age=1', 'max-age = 1', 'max-age="1"', 'max-age=01'],
  ...['max-age=60, max-age=1', 'max-age=1, max-age=60', 'max-stale=60, max-age=1'],
  ...['max-age=abc', 'max-age=', 'max-age', 'max-age=-1', 'max-age=+60', 'max-age=60s'],
  ...['max-age=6e1', 'max-age=60.5', 'max-age="60'],
];
const fromMemory = [
  ...['', ',', 'max-age=2', 'max-age="60"', 'max-age=0060', 'max-age=99999999999999999999'],
  ...['max-stale=60', 'no-transform', 'only-if-cached', 'nocache', 'not-no-cache'],
  ...['max-age2=1', 'private'],
];

/** The answer to a GET. */
const get = async ({ url }: Stack, headers = {}) => {
  const response = await fetch(`${url}?query=${encodeURIComponent(document)}`, {
    headers: { ...credentials, ...headers },
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
};

describe('two seconds after a read a request', () => {
  const start = async (): Promise<Stack> => {
    const stack = await startPaced();
    expect(shown(await stack.query(document))).toEqual({ name: 'read 1', age: null });
    clock.advance(2000);
    return stack;
  };

  it.each(anew)('that says %j is answered with a new read', async (value) => {
    const stack = await start();
    const answer = shown(await stack.query(document, { headers: control(value) }));
    expect([answer, stack.calls.length]).toEqual([{ name: 'read 2', age: null }, 2]);
  });

  it.each(fromMemory)('that says %j is answered with what was read', async (value) => {
    const stack = await start();
    const answer = shown(await stack.query(document, { headers: control(value) }));
    expect([answer, stack.calls.length]).toEqual([{ name: 'read 1', age: '2' }, 1]);
  });

  it('may be a GET, or have the header twice; what was read anew is kept', async () => {
    const stack = await start();
    expect(shown(await get(stack))).toEqual({ name: 'read 1', age: '2' });
    expect(shown(await get(stack, control('no-cache')))).toEqual({ name: 'read 2', age: null });
    expect(shown(await stack.query(document))).toEqual({ name: 'read 2', age: '0' });
    clock.advance(2000);
    const send = (...values: readonly string[]) => {
      const twice = values.map((value) => ['Cache-Control', value] as const);
      return postBytes(stack.url, {
        document,
        headers: [...Object.entries(credentials), ...twice],
      });
    };
    expect(await send('max-age=60', 'no-transform')).toContain('read 2');
    expect(await send('max-age=60', 'max-age=1')).toContain('read 3');
  });
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

it('nothing lets a browser or a proxy keep an answer, and a conditional request has a whole one', async () => {
  const rate = { calls: 1, windowMs: 10_000 };
  const stack = await startPaced(countingReads(), { observabilityRate: rate });
  const answers: Pick<GraphQLAnswer, 'status' | 'headers' | 'body'>[] = [];
  for (const wait of [0, 2000, 3000]) {
    clock.advance(wait);
    answers.push(await stack.query(document));
  }
  expect(answers.map(({ headers }) => headers.get('age'))).toEqual([null, '2', '5']);
  const modified = new Date(Date.now() + 60_000).toUTCString();
  for (const headers of [{ 'if-none-match': '*' }, { 'if-modified-since': modified }]) {
    answers.push(await get(await startPaced(), headers));
  }
  for (const { status, headers, body } of answers) {
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    for (const name of ['etag', 'last-modified', 'expires']) expect(headers.has(name)).toBe(false);
    expect(body.data).toEqual({ alerts: [{ name: 'read 1' }] });
  }
});

describe('a read under way', () => {
  const alerts = (name: string) => data([{ id: 'a1', name }]);

  it('answers a request that says no-cache or max-age only if it was sent late enough', async () => {
    const gate = createGate();
    const stack = await startPaced(gate.answering);
    const before = stack.query(document);
    const first = await gate.arrived(1);
    clock.advance(2000);
    const joining = await begin(stack, 'observability', 'alerts { name }', control('max-age=2'));
    const strict = stack.query(document, { headers: control('max-age=1') });
    await gate.arrived(2);
    clock.advance(1);
    const stricter = stack.query(document, { headers: control('no-cache') });
    // It takes the place of the second one.
    const third = await gate.arrived(3);
    first.answer(alerts('first'));
    const early = (await Promise.all([before, joining.answer])).map(shown);
    expect(early).toEqual(Array(2).fill({ name: 'first', age: null }));
    third.answer(alerts('third'));
    const late = (await Promise.all([strict, stricter])).map(shown);
    expect(late).toEqual(Array(2).fill({ name: 'third', age: null }));
    expect(gate.calls).toHaveLength(3);
  });
});

describe('where no call is left, five seconds after a read,', () => {
  const late = async (value: string, config: Partial<Config> = {}) => {
    const rate = { calls: 1, windowMs: 10_000 };
    const stack = await startPaced(countingReads(), { observabilityRate: rate, ...config });
    await stack.query(document);
    clock.advance(5000);
    const answer = await clock.until(stack.query(document, { headers: control(value) }));
    const { code, retryAfterSeconds } = answer.body.errors?.[0].extensions ?? {};
    return {
      ...shown(answer),
      staleSeconds: answer.body.extensions?.staleSeconds,
      code,
      retryAfterSeconds,
    };
  };

  it.each(['', 'max-age=5', 'no-transform'])('%j gets what was read', async (value) => {
    expect(await late(value)).toEqual({ name: 'read 1', age: '5', staleSeconds: 5 });
  });

  it.each(['no-cache', 'max-age=4', 'no-store', 'max-age=abc'])(
    '%j waits for a new read, or is refused',
    async (value) => {
      expect(await late(value)).toEqual({ name: 'read 2', age: null });
      const code = 'RATE_LIMITED';
      expect(await late(value, { pacingWaitMs: 1000 })).toEqual({
        age: null,
        code,
        retryAfterSeconds: 5,
      });
    },
  );
});

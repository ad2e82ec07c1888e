import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { figuresOf, missesOf } from './bounds.ts';
import { nameOf, stateOf } from './names.ts';
import { isWhole, readAnswer } from './shown.ts';
import { type View, type Write, watch } from './viewers.ts';
import { createLimiter, createWindow } from './windows.ts';

const page = { body: '{"query":"{ page }"}', things: ['service 0.0', 'pipe 0.0.0'] };

const pipe = (version: number, caller = 0, state = stateOf(version)) => ({
  name: nameOf({ thing: 'pipe 0.0.0', caller, version, at: Date.now() }),
  state,
});

const answer = (pipes: readonly unknown[], rest: object = {}): string => {
  const name = nameOf({ thing: 'service 0.0', caller: 0, version: 0, at: Date.now() - 5000 });
  return JSON.stringify({ data: { service: { name, pipes } }, ...rest });
};

test('a view is whole with all its things, in order, of its caller, and with states that belong to them', () => {
  const whole = (text: string): boolean => isWhole(readAnswer(text), page, 0);
  for (const right of [answer([pipe(0)]), answer([pipe(3)])]) assert.equal(whole(right), true);
  for (const pipes of [[], [null], [pipe(0), pipe(0)], [pipe(0, 1)], [{ name: 'x' }]]) {
    assert.equal(whole(answer(pipes)), false);
  }
  assert.equal(whole(answer([pipe(0, 0, 'Stopped')])), false);
  assert.equal(whole(answer([pipe(0)], { errors: [{ message: 'no' }] })), false);
  assert.equal(whole('Too many requests'), false);
});

/** Stops the pipe once, half-way through six views, on a server that shows the version `shown` from then on. */
const watchOnce = async (shown: number, writeAnswer: string) => {
  let written = false;
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    if (text.includes('mutation')) written = true;
    response.end(text.includes('mutation') ? writeAnswer : answer([pipe(written ? shown : 0)]));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const seen = await watch([`http://127.0.0.1:${address.port}`], {
    viewers: [{ caller: 0, pages: [page], offset: 0, every: 100, times: 6 }],
    writes: { offset: 250, every: 100, times: 1, pipes: [[0, 0, 0]] },
  });
  server.close();
  return seen;
};

const done: Write = { isDone: true, waited: undefined };
const failed: Write = { isDone: false, waited: undefined };

const stopped = JSON.stringify({ data: { stopPipe: { pipe: pipe(1), userErrors: [] } } });

test('a view sent after a write was answered may not show the state before it', async () => {
  const stale = await watchOnce(0, stopped);
  assert.equal(stale.views.length, 6);
  assert.ok(stale.views.every(({ whole, oldest }) => whole && oldest >= 5000));
  assert.ok(stale.views.some(({ earlier }) => earlier));
  assert.equal(stale.views[0]?.earlier, false);
  const fresh = await watchOnce(1, stopped);
  assert.ok(fresh.views.every(({ earlier }) => !earlier));
  assert.deepEqual(fresh.writes, [done]);
});

test('a refused write is a failed one, and binds no view', async () => {
  const refused = await watchOnce(0, '{"data":null,"errors":[{"message":"no"}]}');
  assert.deepEqual(refused.writes, [failed]);
  assert.ok(refused.views.every(({ earlier }) => !earlier));
});

/** This many views, with the given changes, in a scenario of ten seconds. */
const viewsOf = (size: number, changes: Partial<View> = {}): readonly View[] =>
  Array.from({ length: size }, () => {
    return {
      ...{ whole: true, began: 0, milliseconds: 500, things: 2, oldest: 2000 },
      ...{ earlier: false, waited: undefined },
      ...changes,
    };
  });
const figures = (views: readonly View[], writes: readonly Write[] = [], refused = 0) =>
  figuresOf({ scenario: { within: 10_000 }, views, writes, counts: { refused } });

test('the oldest part is that of 95 % of the whole views, beside that of all', () => {
  const of = (...old: readonly number[]) =>
    figures([
      ...viewsOf(100 - old.length),
      ...old.flatMap((oldest) => viewsOf(1, { oldest })),
      ...viewsOf(9, { whole: false, oldest: 90_000 }),
      ...viewsOf(9, { milliseconds: 10_001, oldest: 90_000 }),
    ]);
  const five = of(30_000, 30_000, 30_000, 30_000, 31_000);
  assert.deepEqual([five.oldest, five.oldestOfAll], [2, 31]);
  const six = of(30_000, 30_000, 30_000, 30_000, 30_000, 31_000);
  assert.deepEqual([six.oldest, six.oldestOfAll], [30, 31]);
  assert.equal(figures(viewsOf(3, { whole: false })).oldest, undefined);
});

test('each bound that is missed is told, and none that is just kept', () => {
  const bounds = { whole: 99, prompt: 95, oldest: 25 };
  const kept = [
    ...viewsOf(95, { oldest: 25_000 }),
    ...viewsOf(4, { milliseconds: 10_000, oldest: 25_000 }),
    ...viewsOf(1, { whole: false }),
  ];
  assert.deepEqual(missesOf(figures(kept, [done]), bounds), []);
  const missed = [
    ...viewsOf(93, { oldest: 25_100 }),
    ...viewsOf(1, { earlier: true }),
    ...viewsOf(4, { milliseconds: 1001, oldest: 25_100 }),
    ...viewsOf(2, { whole: false }),
  ];
  assert.deepEqual(missesOf(figures(missed, [done, failed], 3), bounds), [
    '98.0 % of the views whole, not 99 %',
    '94.0 % within a second, not 95 %',
    '3 calls answered with 429',
    '1 views of an earlier state',
    '1 writes failed',
    'an oldest part of 25.1 s, not 25 s',
  ]);
});

/** The times at which a call is accepted. */
const accepted = (kind: 'fixed' | 'sliding', times: readonly number[]): readonly number[] => {
  const window = createWindow(kind, { calls: 3, milliseconds: 1000 });
  return times.filter((time) => window(time).accepted);
};

test('a fixed window begins with the first call after the last one, and lets three and three through', () => {
  const times = [0, 998, 999, 999, 1000, 1001, 1002, 1003, 1999, 2000];
  assert.deepEqual(accepted('fixed', times), [0, 998, 999, 1000, 1001, 1002, 2000]);
});

test('a sliding window lets three through in any second, and forgets what it refused', () => {
  const times = [0, 998, 999, 999, 1000, 1001, 1997, 1998, 1999, 2000];
  assert.deepEqual(accepted('sliding', times), [0, 998, 999, 1000, 1998, 1999, 2000]);
});

test('a refusal names the wait in the words of its interface, and only its credential is refused', () => {
  const limiter = createLimiter('sliding');
  for (let call = 0; call < 10; call += 1) limiter('/v1/organizations', 1, call);
  const refused = limiter('/v1/organizations', 1, 4000);
  assert.deepEqual(refused.headers, { 'x-ratelimit-reset': '6.000' });
  assert.notEqual(refused.refusal, undefined);
  assert.deepEqual(limiter('/v1/organizations', 2, 4000), { headers: {}, refusal: undefined });
  for (let call = 0; call < 100; call += 1) limiter('/api/v2/alerts', 1, 0);
  assert.deepEqual(limiter('/api/v2/alerts', 1, 25_500).headers, {
    'ratelimit-limit': '100',
    'ratelimit-remaining': '0',
    'ratelimit-reset': '35',
    'retry-after': '60',
  });
});

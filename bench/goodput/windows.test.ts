import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCounters } from './counters.ts';
import { createCounter } from './windows.ts';

const limit = { calls: 10, milliseconds: 10_000 };

/** Counts calls at these times, and tells which were accepted. */
const accepted = (kind: 'fixed' | 'sliding', times: readonly number[]): readonly number[] => {
  const counter = createCounter(kind, limit);
  return times.filter((time) => counter.count(time).accepted);
};

const ten = (first: number): readonly number[] => Array.from({ length: 10 }, (_, at) => first + at);

test('a fixed window begins with the first call after the last one, and lets ten and ten through', () => {
  assert.deepEqual(accepted('fixed', [0, ...ten(9980), ...ten(10_000), 10_010, 20_000]), [
    0,
    ...ten(9980).slice(0, 9),
    ...ten(10_000),
    20_000,
  ]);
});

test('a sliding window lets ten through in any ten seconds, and forgets what it refused', () => {
  const late = [...ten(9980), 9999, 10_000, 10_001, 19_980, 19_981];
  assert.deepEqual(accepted('sliding', [0, ...late]), [
    0,
    ...ten(9980).slice(0, 9),
    10_000,
    19_980,
    19_981,
  ]);
});

test('the most calls in a window are counted with the refused ones, whatever the kind', () => {
  for (const kind of ['fixed', 'sliding'] as const) {
    const counter = createCounter(kind, limit);
    for (const time of [...ten(0), ...ten(9995)]) counter.count(time);
    // The last at 10 004, and the five of the first that came less than ten seconds before.
    assert.equal(counter.most(), 15);
  }
});

test('a refusal names the wait, each interface in its own headers, and only its credential is refused', () => {
  const counters = createCounters('sliding');
  const basic = (id: string): string =>
    `Basic ${Buffer.from(`key-${id}:secret`).toString('base64')}`;
  for (const time of ten(0)) counters.count('/v1/organizations', basic('1'), time);
  const refused = counters.count('/v1/organizations', basic('1'), 4000);
  assert.deepEqual(refused?.refusal?.headers, { 'x-ratelimit-reset': '6.000' });
  assert.deepEqual(refused?.headers, {});
  assert.equal(counters.count('/v1/organizations', basic('2'), 4000)?.refusal, undefined);
  for (let call = 0; call < 100; call += 1) counters.count('/api/v2/alerts', 'Bearer token-1', 0);
  const full = counters.count('/api/v2/alerts', 'Bearer token-1', 25_500);
  assert.deepEqual(full?.refusal?.headers, { 'retry-after': '60' });
  assert.deepEqual(full?.headers, {
    'ratelimit-limit': '100',
    'ratelimit-remaining': '0',
    'ratelimit-reset': '35',
  });
  assert.equal(counters.count('/api/v2/alerts', basic('1'), 25_500), undefined);
  assert.deepEqual(counters.counts(), {
    calls: 113,
    refused: 2,
    most: { management: 11, observability: 101 },
  });
});

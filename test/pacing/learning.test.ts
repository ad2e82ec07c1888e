import { beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { createGate, leavable } from '../support/faults/gate.ts';
import { type Answer, type Answering, credentials, data, json } from '../support/harness.ts';
import { startPaced } from '../support/pacing/requests.ts';
import { type Clock, stopTime } from '../support/pacing/time.ts';

let clock: Clock;
beforeEach(() => {
  clock = stopTime();
});

/** Reads of one call each, by a credential of that name. */
const reads = ['{ alerts { id } }', '{ dashboards { id } }'] as const;
const as = (name: string) => ({ headers: { 'observability-authorization': `Bearer ${name}` } });

const limited = (headers: Readonly<Record<string, string>> = {}, status = 429): Answer => ({
  ...json({ message: 'Slow down' }, status),
  headers: { 'content-type': 'application/json', ...headers },
});

const start = (observability: Answering, config: Partial<Config> = {}) =>
  startPaced(observability, {
    ...{ observabilityRate: { calls: 10, windowMs: 10_000 }, readCacheBytes: 0 },
    ...config,
  });

it.each([
  ['429 with RateLimit-Reset', limited({ 'ratelimit-reset': '4', 'retry-after': '60' }), 4],
  ['429 without a header', limited(), 10],
  ['503 with Retry-After', limited({ 'retry-after': '4' }, 503), 4],
])(
  'a credential that meets a %s is left alone as long as it says, and its read sent once more',
  async (_, answer, seconds) => {
    const started = performance.now();
    const times: number[] = [];
    const stack = await start(() => {
      times.push(performance.now() - started);
      return times.length === 1 ? answer : data([]);
    });
    const first = stack.query(reads[0]);
    await clock.still(() => times.length === 1);
    const both = await clock.until(Promise.all([first, stack.query(reads[1])]));
    expect(both.map(({ body }) => body)).toEqual([
      ...[{ data: { alerts: [] } }, { data: { dashboards: [] } }],
    ]);
    const [, ...later] = times.map((time) => Math.floor(time / 1000));
    expect(later).toEqual([seconds, seconds]);
  },
);

describe('while a credential is held back', () => {
  it('others are not, and no call of its own is sent that waited for others of its operation', async () => {
    const gate = createGate();
    const stack = await start(gate.answering, { upstreamConnections: 4 });
    const waiting = leavable(stack.url, '{ alerts { id } dashboards { id } }', credentials);
    (await gate.arrived(1)).answer(limited({ 'retry-after': '20' }));
    // The 429 has been read once another credential's call has come and gone.
    const other = stack.query(reads[0], as('two'));
    (await gate.arrived(2)).answer(data([]));
    expect((await other).body).toEqual({ data: { alerts: [] } });
    expect(gate.calls.map(({ call }) => call.headers.authorization)).toEqual([
      ...[credentials['observability-authorization'], 'Bearer two'],
    ]);
    await waiting.leave();
  });

  it('a call whose wait would be too long fails at once: the limited read with the upstream’s message, others with the wait', async () => {
    const stack = await start(() => limited({ 'retry-after': '31' }));
    const sharing = await Promise.all([stack.query(reads[0]), stack.query(reads[0])]);
    for (const { body } of sharing) {
      expect(body.errors).toMatchObject([
        {
          message: 'Slow down.',
          extensions: {
            ...{ code: 'RATE_LIMITED', retryable: true, retryAfterSeconds: 31 },
            upstream: { name: 'observability', operation: 'listAlerts', status: 429 },
          },
        },
      ]);
    }
    const [{ extensions }] = (await stack.query(reads[1])).body.errors;
    expect(extensions).toMatchObject({ code: 'RATE_LIMITED', retryable: true });
    expect(extensions.upstream).toEqual({ name: 'observability', operation: 'listDashboards' });
    expect([stack.calls.length, stack.complaints()]).toEqual([1, '']);
  });

  it('a second 429 is the end of a read', async () => {
    const stack = await start(() => limited({ 'ratelimit-reset': '0.2' }));
    const { body } = await clock.until(stack.query(reads[0]));
    expect(body.errors).toMatchObject([
      { extensions: { code: 'RATE_LIMITED', upstream: { status: 429 }, retryAfterSeconds: 1 } },
    ]);
    expect(stack.calls).toHaveLength(2);
  });

  it('the breaker stays closed', async () => {
    const stack = await start(
      ({ headers }) =>
        headers.authorization === 'Bearer well' ? data([]) : limited({ 'retry-after': '31' }, 503),
      { breakerFailures: 1 },
    );
    for (const name of ['a', 'b', 'c']) await stack.query(reads[0], as(name));
    expect((await stack.query(reads[0], as('well'))).body).toEqual({ data: { alerts: [] } });
  });
});

it('an upstream that counts fewer calls left than the gateway is believed', async () => {
  const headers = { 'content-type': 'application/json', ratelimit: '"x";r=1;t=40' };
  const observabilityRate = { calls: 10, windowMs: 60_000 };
  const stack = await start(() => ({ ...data([]), headers }), { observabilityRate });
  for (const read of reads) expect((await stack.query(read)).body.errors).toBeUndefined();
  const { body } = await stack.query(reads[0]);
  expect(body.errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }]);
  expect(body.errors[0].extensions.upstream).not.toHaveProperty('status');
  expect(stack.calls).toHaveLength(2);
});

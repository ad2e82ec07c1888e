import { beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { createGate } from '../support/faults/gate.ts';
import {
  type Answering,
  data,
  type GraphQLAnswer,
  json,
  paced,
  result,
  stackInTest,
} from '../support/harness.ts';
import { type Clock, stopTime } from '../support/pacing/time.ts';
import { withIds } from '../support/world/ids.ts';

let clock: Clock;
beforeEach(() => {
  clock = stopTime();
});

/** A read that costs one call, another one for each service. */
const readOf = (...services: readonly number[]): string => {
  const fields = services.map((each) => `s${each}: service(@service-${each}) { pipes { id } }`);
  return withIds(`{ ${fields.join(' ')} }`);
};
const write = withIds(
  'mutation { stopPipe(input: { @service-1, pipeId: "pipe-1" }) { userErrors { message } } }',
);
const as = (name: string) => ({
  headers: { 'management-authorization': `Basic ${btoa(`${name}:secret`)}` },
});
const ok: Answering = ({ method }) => result(method === 'GET' ? [] : {});
const limited = (headers: Readonly<Record<string, string>> = {}, status = 429) => ({
  ...json({ error: 'Slow down' }, status),
  headers: { 'content-type': 'application/json', ...headers },
});

const start = (calls: number, management = ok, config: Partial<Config> = {}, seconds = 30) => {
  const managementRate = { calls, windowMs: seconds * 1000 };
  return stackInTest({
    ...{ management, observability: () => data([]) },
    config: { ...paced, managementRate, readCacheBytes: 0, ...config },
  });
};

const codes = ({ body }: GraphQLAnswer): readonly string[] =>
  (body.errors ?? []).map(({ extensions }: { extensions: { code: string } }) => extensions.code);

describe('calls beyond the rate', () => {
  it('are refused at once where their turn would come too late, and the others are answered', async () => {
    const stack = await start(3);
    const { body } = await stack.query(readOf(1, 2, 3, 4, 5));
    const pipes = [[], [], [], null, null];
    expect(Object.values(body.data)).toEqual(pipes.map((each) => ({ pipes: each })));
    for (const { message, extensions } of body.errors) {
      expect(message).toMatch(/used up for this credential\. Retry in 30 s\.$/);
      expect(extensions).toEqual({
        ...{ code: 'RATE_LIMITED', retryable: true, retryAfterSeconds: 30 },
        upstream: { name: 'management', operation: 'listPipes' },
        requestId: expect.any(String),
      });
    }
    const { body: ofWrite } = await stack.query(write);
    expect(ofWrite.errors).toMatchObject([
      {
        message: expect.stringMatching(/Retry in 30 s\. The write was not sent\.$/),
        extensions: { code: 'RATE_LIMITED', retryable: true, retryAfterSeconds: 30 },
      },
    ]);
    expect([body.errors.length, stack.calls.length, stack.complaints()]).toEqual([2, 3, '']);
  });

  it('do not count as calls of the operation where they are refused', async () => {
    const managementRate = { calls: 1, windowMs: 30_000 };
    const dashboard = () => data({ id: 'd1', name: 'made' });
    const config = { ...paced, managementRate, maxUpstreamCalls: 2 };
    const stack = await stackInTest({ management: ok, observability: dashboard, config });
    const stop = 'stopPipe(input: { @service-1, pipeId: "pipe-1" }) { pipe { id } }';
    const create = 'createDashboard(input: { name: "made" }) { dashboard { name } }';
    const answer = await stack.query(withIds(`mutation { ${stop} b: ${stop} ${create} }`));
    expect(answer.body.data.createDashboard).toEqual({ dashboard: { name: 'made' } });
    expect(codes(answer)).toEqual(['RATE_LIMITED']);
    expect(JSON.parse(stack.log())).toMatchObject({ upstreamCalls: 2 });
  });

  it('hold up neither another credential nor the other upstream', async () => {
    const stack = await start(1, ok, { breakerFailures: 1 });
    await stack.query(readOf(1));
    expect(codes(await stack.query(readOf(2)))).toEqual(['RATE_LIMITED']);
    expect(codes(await stack.query(readOf(2), as('other')))).toEqual([]);
    expect(codes(await stack.query('{ alerts { id } }'))).toEqual([]);
  });

  it('fail when the breaker opens', async () => {
    const gate = createGate();
    const stack = await start(1, gate.answering, { breakerFailures: 2, maxRetries: 0 }, 10);
    const used = stack.query(readOf(1));
    (await gate.arrived(1)).answer(result([]));
    await used;
    const waiting = stack.query(readOf(2));
    const failing = ['a', 'b'].map((name, path) => stack.query(readOf(path), as(name)));
    for (const call of [2, 3]) (await gate.arrived(call)).answer(json({}, 502));
    await Promise.all(failing);
    expect(codes(await waiting)).toEqual(['UPSTREAM_UNAVAILABLE']);
    expect(codes(await stack.query(readOf(3)))).toEqual(['UPSTREAM_UNAVAILABLE']);
    expect(gate.calls).toHaveLength(3);
  });
});

describe('a credential that is told to wait', () => {
  it.each([
    ['429 with RateLimit-Reset', limited({ 'ratelimit-reset': '4', 'retry-after': '60' }), 4],
    ['429 without a header', limited(), 10],
    ['503 with Retry-After', limited({ 'retry-after': '4' }, 503), 4],
  ])('by a %s is left alone so long, and its read sent once more', async (_, answer, seconds) => {
    const started = performance.now();
    const times: number[] = [];
    const management: Answering = () => {
      times.push(performance.now() - started);
      return times.length === 1 ? answer : result([]);
    };
    const stack = await start(10, management, {}, 10);
    const first = stack.query(readOf(1));
    await clock.still(() => times.length === 1);
    const both = await clock.until(Promise.all([first, stack.query(readOf(2))]));
    expect(both.flatMap(codes)).toEqual([]);
    const [, ...later] = times.map((time) => Math.floor(time / 1000));
    expect(later).toEqual([seconds, seconds]);
  });

  it('for too long has its calls fail at once: the limited one with the upstream’s message, others with the wait', async () => {
    const stack = await start(10, () => limited({ 'retry-after': '31' }));
    const sharing = await Promise.all([stack.query(readOf(1)), stack.query(readOf(1))]);
    const told = { code: 'RATE_LIMITED', retryable: true, retryAfterSeconds: 31 };
    const upstream = { name: 'management', operation: 'listPipes', status: 429 };
    for (const { body } of sharing) {
      expect(body.errors).toMatchObject([
        { message: 'Slow down.', extensions: { ...told, upstream } },
      ]);
    }
    const [{ extensions }] = (await stack.query(readOf(2))).body.errors;
    expect(extensions).toMatchObject({ code: 'RATE_LIMITED', retryable: true });
    expect(extensions.upstream).toEqual({ name: 'management', operation: 'listPipes' });
    expect([stack.calls.length, stack.complaints()]).toEqual([1, '']);
  });

  it('twice has its read fail', async () => {
    const stack = await start(10, () => limited({ 'ratelimit-reset': '0.2' }));
    const { body } = await clock.until(stack.query(readOf(1)));
    expect(body.errors).toMatchObject([
      { extensions: { code: 'RATE_LIMITED', upstream: { status: 429 }, retryAfterSeconds: 1 } },
    ]);
    expect(stack.calls).toHaveLength(2);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { createGate, leavable } from '../support/faults/gate.ts';
import {
  type Answering,
  credentials,
  data,
  type GraphQLAnswer,
  json,
  paced,
  result,
} from '../support/harness.ts';
import { startPaced } from '../support/pacing/requests.ts';
import { type Clock, stopTime } from '../support/pacing/time.ts';
import { createBackend } from '../support/world/backend.ts';
import { withIds } from '../support/world/ids.ts';
import { numbers, worldOf } from '../support/world/worlds.ts';

let clock: Clock;
beforeEach(() => {
  clock = stopTime();
});

const organization = 'organizationId: "organization-1"';
/** Reads of one call each, of their own for each service. */
const readOf = (...services: readonly number[]): string =>
  withIds(
    `{ ${services
      .map(
        (each) =>
          `s${each}: service(${organization}, serviceId: "service-${each}") { pipes { id } }`,
      )
      .join(' ')} }`,
  );
const write = withIds(
  `mutation { stopPipe(input: { ${organization}, serviceId: "service-1", pipeId: "pipe-1" }) { userErrors { message } } }`,
);
const as = (name: string) => ({
  headers: { 'management-authorization': `Basic ${btoa(`${name}:secret`)}` },
});
const ok: Answering = ({ method }) => result(method === 'GET' ? [] : {});

const start = (calls: number, management = ok, config: Partial<Config> = {}) =>
  startPaced(
    () => data([]),
    { managementRate: { calls, windowMs: 10_000 }, readCacheBytes: 0, ...config },
    management,
  );

const codes = ({ body }: GraphQLAnswer): readonly string[] =>
  (body.errors ?? []).map(({ extensions }: { extensions: { code: string } }) => extensions.code);

describe('calls beyond the rate', () => {
  it('are refused at once where their turn would come too late; what can be answered is', async () => {
    const stack = await start(3, ok, { managementRate: { calls: 3, windowMs: 30_000 } });
    const { body } = await stack.query(readOf(1, 2, 3, 4, 5));
    expect(body.data).toEqual({
      ...{ s1: { pipes: [] }, s2: { pipes: [] }, s3: { pipes: [] } },
      ...{ s4: { pipes: null }, s5: { pipes: null } },
    });
    for (const { message, extensions } of body.errors) {
      expect(message).toMatch(/used up for this credential\. Retry in 30 s\.$/);
      expect(extensions).toEqual({
        ...{ code: 'RATE_LIMITED', retryable: true, retryAfterSeconds: 30 },
        ...{
          upstream: { name: 'management', operation: 'listPipes' },
          requestId: expect.any(String),
        },
      });
    }
    expect([body.errors.length, stack.calls.length, stack.complaints()]).toEqual([2, 3, '']);
  });

  it('hold up neither another credential nor the other upstream', async () => {
    const stack = await start(1, ok, { managementRate: { calls: 1, windowMs: 30_000 } });
    await stack.query(readOf(1));
    expect(codes(await stack.query(readOf(2)))).toEqual(['RATE_LIMITED']);
    expect(codes(await stack.query(readOf(2), as('other')))).toEqual([]);
    expect(codes(await stack.query('{ alerts { id } }'))).toEqual([]);
  });

  it('are not sent when their caller has left, and come after writes', async () => {
    const gate = createGate();
    const stack = await start(1, gate.answering);
    /** Lets a request that was just sent go as far as it can: another one, sent later, has been answered. */
    const settled = () => stack.query('{ __typename }');
    const first = stack.query(readOf(1));
    const underWay = await gate.arrived(1);
    const leaving = leavable(stack.url, readOf(2), credentials);
    await settled();
    await leaving.leave();
    const reading = stack.query(readOf(3));
    await settled();
    const writing = stack.query(write);
    await settled();
    underWay.answer(result([]));
    await first;
    for (const [index, answer] of [{}, []].entries()) {
      clock.advance(10_000);
      (await gate.arrived(index + 2)).answer(result(answer));
      await (index === 0 ? writing : reading);
    }
    expect((await Promise.all([first, writing, reading])).map(codes)).toEqual([[], [], []]);
    expect(stack.calls.map(({ method }) => method)).toEqual(['GET', 'PATCH', 'GET']);
    expect(stack.calls.at(-1)?.path).toContain(withIds('service-3'));
  });

  it('count neither among the calls that an operation may make, once refused, nor for the breaker', async () => {
    const stack = await startPaced(
      ({ path }) =>
        data(
          path.endsWith('alerts') ? [{ id: 'a1', dashboard: 'd1' }] : { id: 'd1', name: 'well' },
        ),
      {
        ...{ managementRate: { calls: 1, windowMs: 30_000 }, readCacheBytes: 0 },
        ...{ maxUpstreamCalls: 3, breakerFailures: 1 },
      },
      ok,
    );
    for (const name of ['a', 'b', 'c']) {
      const fields = `${readOf(1, 2).slice(0, -1)} alerts { dashboard { name } } }`;
      const answer = await stack.query(fields, as(name));
      expect(codes(answer)).toEqual(['RATE_LIMITED']);
      expect(answer.body.data.alerts).toEqual([{ dashboard: { name: 'well' } }]);
    }
  });

  it('fail when the breaker opens', async () => {
    const gate = createGate();
    const stack = await start(1, gate.answering, { breakerFailures: 2, maxRetries: 0 });
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

it('a write that is refused says that it was not sent', async () => {
  const stack = await start(1, ok, { managementRate: { calls: 1, windowMs: 30_000 } });
  await stack.query(readOf(1));
  const { body } = await stack.query(write);
  expect(body.errors).toMatchObject([
    {
      message: expect.stringMatching(/Retry in 30 s\. The write was not sent\.$/),
      extensions: { code: 'RATE_LIMITED', retryable: true, retryAfterSeconds: 30 },
    },
  ]);
  expect(stack.calls).toHaveLength(1);
});

it('a write that met a 429 is not sent again, and may be by its caller', async () => {
  const limited = {
    ...json({ error: 'Slow down' }, 429),
    headers: { 'x-ratelimit-reset': '0.2' },
  };
  const stack = await start(9, () => limited);
  const { body } = await stack.query(write);
  const told = { code: 'RATE_LIMITED', upstream: { status: 429 }, retryable: true };
  expect(body.errors).toMatchObject([{ extensions: { ...told, retryAfterSeconds: 1 } }]);
  // What would have followed has gone by when a read, held back as long, is answered.
  await clock.until(stack.query(readOf(1)));
  expect(stack.calls.filter(({ method }) => method === 'PATCH')).toHaveLength(1);
});

it('where nothing is paced, thirty calls of one credential are under way at once', async () => {
  const gate = createGate();
  const config = { managementRate: undefined, upstreamConnections: 256 };
  const stack = await start(1, gate.answering, config);
  const answers = numbers(30).map((number) => stack.query(readOf(number)));
  await gate.arrived(30);
  for (const { answer } of gate.calls) answer(result([]));
  expect((await Promise.all(answers)).flatMap(codes)).toEqual([]);
  expect(new Set(stack.calls.map(({ path }) => path)).size).toBe(30);
});

describe('a page of fourteen calls', () => {
  const windowMs = 10_000;
  const page = withIds(
    '{ organization(id: "organization-1") { name services { name pipes { name } } } }',
  );
  const whole = {
    organization: {
      name: 'Organization 1',
      services: numbers(12).map((number) => ({
        name: `Service ${number}`,
        pipes: [{ name: `Pipe ${number}` }],
      })),
    },
  };

  /** The interfaces' own limits, and twelve services. */
  const open = async () => {
    const { management } = createBackend(
      worldOf({
        ...{ organizations: 1, services: 12, pipesPerService: 1 },
        ...{ dashboards: 0, tilesPerDashboard: 0, alerts: 0 },
      }),
    );
    const arrivals: number[] = [];
    const started = performance.now();
    const stack = await startPaced(
      () => data([]),
      paced,
      (call) => {
        arrivals.push(performance.now() - started);
        return management(call);
      },
    );
    return {
      stack,
      arrivals,
      ask: () => stack.query(page, { headers: { 'sluice-explain': '1' } }),
    };
  };
  /** How many of the calls were answered from where. */
  const sources = ({ body }: GraphQLAnswer): Readonly<Record<string, number>> => {
    const calls: readonly { readonly cache: string }[] = body.extensions.upstream;
    const groups = Map.groupBy(calls, ({ cache }) => cache);
    return Object.fromEntries([...groups].map(([cache, { length }]) => [cache, length]));
  };

  it('is whole within two windows, for whoever asks meanwhile too, and comes partly from memory afterwards', async () => {
    const { stack, arrivals, ask } = await open();
    const first = ask();
    await clock.still(() => stack.calls.length === 10);
    const both = await clock.until(Promise.all([first, ask()]));
    for (const { body } of both) expect([body.errors, body.data]).toEqual([undefined, whole]);
    const windows = Map.groupBy(arrivals, (at) => Math.floor(at / windowMs));
    expect([...windows.values()].map(({ length }) => length)).toEqual([10, 4]);
    expect(sources(both[0])).toEqual({ miss: 14 });
    const waited = both[0].body.extensions.upstream.map(
      (call: { waitedMilliseconds: number }) => call.waitedMilliseconds > 0,
    );
    expect(waited).toEqual(numbers(14).map((number) => number > 10));
    // Six calls are left, of which two are kept for what cannot be shown otherwise.
    const third = await ask();
    expect(third.body).toMatchObject({ data: whole, extensions: { budget: { management: 2 } } });
    expect(stack.calls).toHaveLength(14 + 4);
    expect(sources(third)).toEqual({ fresh: 5, stale: 5, miss: 4 });
    expect(third.body.extensions.staleSeconds).toBe(10);
  });
});

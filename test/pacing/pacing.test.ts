import { afterEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { createGate, leavable } from '../support/faults/gate.ts';
import {
  type Call,
  credentials,
  data,
  json,
  result,
  type Stack,
  startStack,
} from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';

let stack: Stack;
afterEach(() => stack.close());

const organization = 'organizationId: "organization-1"';

/** A read of one call, of its own for each service. */
const pipesOf = (service: number): string =>
  `s${service}: service(${organization}, serviceId: "service-${service}") { pipes { id } }`;

const readOf = (...services: readonly number[]): string =>
  withIds(`{ ${services.map(pipesOf).join(' ')} }`);

const write = withIds(
  `mutation { stopPipe(input: { ${organization}, serviceId: "service-1", pipeId: "pipe-1" }) { userErrors { message } } }`,
);

const as = (name: string) => ({
  headers: { 'management-authorization': `Basic ${btoa(`${name}:secret`)}` },
});

const start = async (
  config: Partial<Config>,
  management: (call: Call) => ReturnType<Parameters<typeof startStack>[0]['management']> = ({
    method,
  }) => result(method === 'GET' ? [] : {}),
): Promise<void> => {
  stack = await startStack({ management, observability: () => data([]), config });
};

/** Lets a request that was just sent go as far as it can: another one, sent later, has been answered. */
const settled = () => stack.query('{ __typename }');

const codes = ({ body }: Awaited<ReturnType<Stack['query']>>): readonly string[] =>
  (body.errors ?? []).map(({ extensions }: { extensions: { code: string } }) => extensions.code);

describe('calls beyond the rate', () => {
  it('wait for their turn, and are all answered', async () => {
    await start({ managementRate: { calls: 3, windowMs: 400 } });
    const { body } = await stack.query(readOf(1, 2, 3, 4, 5, 6, 7), {
      headers: { 'sluice-explain': '1' },
    });
    expect(body.errors).toBeUndefined();
    const waits: readonly number[] = body.extensions.upstream.map(
      ({ waitedMilliseconds }: { waitedMilliseconds: number }) => waitedMilliseconds,
    );
    // The first three at once, three a window later, one two windows later.
    expect(waits.filter((wait) => wait >= 400)).toHaveLength(4);
    expect(Math.max(...waits)).toBeGreaterThanOrEqual(800);
  });

  it('are refused at once where their turn would come too late; what can be answered is', async () => {
    await start({ managementRate: { calls: 3, windowMs: 30_000 } });
    const { body } = await stack.query(readOf(1, 2, 3, 4, 5));
    expect(body.data).toEqual({
      ...{ s1: { pipes: [] }, s2: { pipes: [] }, s3: { pipes: [] } },
      ...{ s4: { pipes: null }, s5: { pipes: null } },
    });
    for (const { message, extensions } of body.errors) {
      expect(message).toMatch(/in time\. Ask again in 30 s\.$/);
      expect(extensions).toEqual({
        code: 'RATE_LIMITED',
        upstream: { name: 'management', operation: 'listPipes' },
        retryable: true,
        retryAfterSeconds: 30,
        requestId: expect.any(String),
      });
    }
    expect(body.errors).toHaveLength(2);
    expect(stack.calls).toHaveLength(3);
    expect(stack.complaints()).toBe('');
  });

  it('hold up neither another credential nor the other upstream', async () => {
    await start({ managementRate: { calls: 1, windowMs: 30_000 } });
    await stack.query(readOf(1));
    expect(codes(await stack.query(readOf(2)))).toEqual(['RATE_LIMITED']);
    expect(codes(await stack.query(readOf(2), as('other')))).toEqual([]);
    expect(codes(await stack.query('{ alerts { id } }'))).toEqual([]);
  });

  it('do not count, once they are refused, among the calls that an operation may make', async () => {
    stack = await startStack({
      management: () => result([]),
      observability: ({ path }) =>
        data(
          path.endsWith('alerts') ? [{ id: 'a1', dashboard: 'd1' }] : { id: 'd1', name: 'well' },
        ),
      config: { managementRate: { calls: 1, windowMs: 30_000 }, maxUpstreamCalls: 3 },
    });
    const answer = await stack.query(
      withIds(`{ ${pipesOf(1)} ${pipesOf(2)} alerts { dashboard { name } } }`),
    );
    expect(codes(answer)).toEqual(['RATE_LIMITED']);
    expect(answer.body.data.alerts).toEqual([{ dashboard: { name: 'well' } }]);
  });

  it('are not sent when their caller has left', async () => {
    const gate = createGate();
    await start({ managementRate: { calls: 1, windowMs: 300 } }, gate.answering);
    const first = stack.query(readOf(1));
    const underWay = await gate.arrived(1);
    const leaving = leavable(stack.url, readOf(2), credentials);
    await settled();
    await leaving.leave();
    underWay.answer(result([]));
    const next = stack.query(readOf(3));
    (await gate.arrived(2)).answer(result([]));
    expect((await Promise.all([first, next])).map(codes)).toEqual([[], []]);
    expect(stack.calls.map(({ path }) => path)).toEqual(
      [1, 3].map((service) =>
        withIds(`/v1/organizations/organization-1/services/service-${service}/pipes`),
      ),
    );
  });
});

describe('a write', () => {
  it('is sent before reads that wait', async () => {
    const gate = createGate();
    await start({ managementRate: { calls: 1, windowMs: 300 } }, gate.answering);
    const first = stack.query(readOf(1));
    const underWay = await gate.arrived(1);
    const reading = stack.query(readOf(2));
    await settled();
    const writing = stack.query(write);
    await settled();
    underWay.answer(result([]));
    (await gate.arrived(2)).answer(result({}));
    (await gate.arrived(3)).answer(result([]));
    expect((await Promise.all([first, writing, reading])).map(codes)).toEqual([[], [], []]);
    expect(stack.calls.map(({ method }) => method)).toEqual(['GET', 'PATCH', 'GET']);
  });

  it('that is refused says that it was not sent', async () => {
    await start({ managementRate: { calls: 1, windowMs: 30_000 } });
    await stack.query(readOf(1));
    const { body } = await stack.query(write);
    expect(body.errors).toMatchObject([
      {
        message: expect.stringMatching(/Ask again in \d+ s\. It was not sent\.$/),
        extensions: {
          code: 'RATE_LIMITED',
          retryable: true,
          retryAfterSeconds: expect.any(Number),
        },
      },
    ]);
    expect(stack.calls).toHaveLength(1);
  });

  it('that met a 429 is not sent again, and may be by its caller', async () => {
    const limited = {
      ...json({ error: 'Slow down' }, 429),
      headers: { 'x-ratelimit-reset': '0.2' },
    };
    await start({ managementRate: { calls: 9, windowMs: 300 } }, () => limited);
    const { body } = await stack.query(write);
    expect(body.errors).toMatchObject([
      {
        extensions: {
          code: 'RATE_LIMITED',
          upstream: { status: 429 },
          retryable: true,
          retryAfterSeconds: 1,
        },
      },
    ]);
    // What would have followed has gone by when a read, held back as long, is answered.
    await stack.query(readOf(1));
    expect(stack.calls.filter(({ method }) => method === 'PATCH')).toHaveLength(1);
  });
});

describe('the breaker', () => {
  it('counts no call that pacing refuses', async () => {
    await start({ managementRate: { calls: 1, windowMs: 30_000 }, breakerFailures: 1 });
    for (const name of ['a', 'b', 'c']) {
      const answer = await stack.query(readOf(1, 2, 3), as(name));
      expect(codes(answer)).toEqual(['RATE_LIMITED', 'RATE_LIMITED']);
    }
    expect(codes(await stack.query(readOf(1), as('d')))).toEqual([]);
  });

  it('fails the calls that wait for a slot when it opens', async () => {
    const gate = createGate();
    await start(
      {
        managementRate: { calls: 1, windowMs: 20_000 },
        breakerFailures: 2,
        maxRetries: 0,
      },
      gate.answering,
    );
    const used = stack.query(readOf(1));
    (await gate.arrived(1)).answer(result([]));
    await used;
    const waiting = stack.query(readOf(2));
    const failing = ['a', 'b'].map((name, path) => stack.query(readOf(path), as(name)));
    for (const call of [2, 3]) (await gate.arrived(call)).answer(json({}, 502));
    await Promise.all(failing);
    expect(codes(await waiting)).toEqual(['UPSTREAM_UNAVAILABLE']);
    const refused = await stack.query(readOf(3));
    expect(codes(refused)).toEqual(['UPSTREAM_UNAVAILABLE']);
    expect(gate.calls).toHaveLength(3);
  });
});

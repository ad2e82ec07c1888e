import { describe, expect, it } from 'vitest';
import { paced, type Stack } from '../support/harness.ts';
import { pipePath, pipeSubscription } from '../support/live-world.ts';
import { documentOf } from '../support/pacing/exact-upstream.ts';
import { startTwoOverRedis } from '../support/redis/stacks.ts';
import { type Redis, redisPath, startRedis } from '../support/redis.ts';
import { subscribe } from '../support/subscribe.ts';

const readinessOf = async ({ url }: Stack) => {
  const response = await fetch(new URL('/readyz', url));
  return { status: response.status, body: await response.json() };
};
/** What a gateway says of Redis in its log. */
const linesOf = (stack: Stack) =>
  stack
    .complaints()
    .split('\n')
    .filter(Boolean)
    .map((line): Record<string, unknown> => JSON.parse(line))
    .map(({ level, msg, redis, reason }) => ({ level, msg, redis, reason }));

describe.skipIf(redisPath === undefined)('two gateways over one Redis', () => {
  const password = 'pass-word-of-redis';
  /** With the limits of the interfaces; who cannot call now is refused. */
  const start = (redis?: Redis) =>
    startTwoOverRedis({
      config: { ...paced, pacingWaitMs: 1000, redisTimeoutMs: 20_000 },
      ...(redis && { redis }),
    });

  it('make the calls of one limit together, and tell how many both have left', async () => {
    const { one, other } = await start();
    const ask = ({ query }: Stack, calls: number) =>
      query(documentOf(calls), { headers: { 'sluice-explain': '1' } });
    const pages = [await ask(one, 3), ...(await Promise.all([ask(one, 2), ask(other, 5)]))];
    expect(pages.flatMap(({ body }) => body.errors ?? [])).toEqual([]);
    expect(pages[0]?.body.extensions.budget).toEqual({ management: 7, observability: 100 });
    for (const gateway of [one, other]) {
      const { body } = await ask(gateway, 1);
      expect(body.errors[0].extensions).toMatchObject({ code: 'RATE_LIMITED' });
      expect(body.errors[0].extensions.retryAfterSeconds).toBeGreaterThan(0);
    }
    expect(one.calls.length + other.calls.length).toBe(10);
  });

  it('say on /readyz and in the log whether it answers, and stay ready', async () => {
    const { redis, one } = await start();
    const is = (state: string) =>
      expect.poll(() => readinessOf(one)).toMatchObject({ status: 200, body: { redis: state } });
    await is('up');
    const { length } = linesOf(one);
    await redis.kill();
    await is('down');
    await redis.restart();
    await is('up');
    expect(linesOf(one).slice(length - 1)).toMatchObject([
      { level: 'info', msg: 'Redis', redis: 'up' },
      { level: 'warn', msg: 'Redis', redis: 'down', reason: expect.any(String) },
      { level: 'info', msg: 'Redis', redis: 'up' },
    ]);
  });

  it.each([
    ['does not let them in', 'wrong-pass-word', /^(WRONGPASS|NOAUTH)$/],
    ['is not there at first', password, /^ECONNREFUSED$/],
  ])(
    'answer also where Redis %s, and name neither its address nor the password',
    async (_, used, reason) => {
      const redis = await startRedis({ password });
      if (used === password) await redis.kill();
      const { one } = await start({ ...redis, url: redis.url.replace(password, used) });
      const answer = await one.query(documentOf(3));
      expect(answer.body.errors).toBeUndefined();
      await expect.poll(() => linesOf(one).at(-1)?.reason).toMatch(reason);
      const readiness = await readinessOf(one);
      expect(readiness).toMatchObject({ status: 200, body: { redis: 'down' } });
      if (used === password) {
        await redis.restart();
        await expect.poll(() => readinessOf(one)).toMatchObject({ body: { redis: 'up' } });
      }
      const shown = one.log() + JSON.stringify([readiness, answer.body]);
      for (const secret of [used, password, String(redis.port), '127.0.0.1']) {
        expect(shown).not.toContain(secret);
      }
    },
  );

  const openAt = (stack: Stack, count: number, pipe = 0) =>
    Promise.all(Array.from({ length: count }, () => subscribe(stack.url, pipeSubscription(pipe))));

  it('take what the other has read for a success', async () => {
    const { one, other, calls } = await startTwoOverRedis();
    const [first] = await openAt(one, 1);
    await first?.event(1);
    const opened = await openAt(other, 8);
    await Promise.all(opened.map((each) => each.event(1)));
    expect(calls().filter((call) => call === `GET ${pipePath()}`)).toHaveLength(1);
    for (const each of [first, ...opened]) each?.leave();
  });
});

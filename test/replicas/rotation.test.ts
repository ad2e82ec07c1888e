import { describe, expect, it } from 'vitest';
import { pipePath, pipeQuery, stopPipe } from '../support/live-world.ts';
import { createExactUpstream, documentOf, mostWithin } from '../support/pacing/exact-upstream.ts';
import { rotations, startTwoOverRedis } from '../support/redis/stacks.ts';
import { redisPath } from '../support/redis.ts';

const anew = { headers: { 'cache-control': 'no-cache' } };

describe.skipIf(redisPath === undefined).each(rotations)(
  'of two gateways over one Redis, one with the secret %j and the other with %j',
  (...secrets) => {
    it('both together make the calls of one limit', async () => {
      const rate = { calls: 10, windowMs: 1000 };
      const { answering, counted, refused } = createExactUpstream(rate, 30);
      const { one, other } = await startTwoOverRedis({
        ...{ secrets, management: answering },
        config: { managementRate: rate, redisTimeoutMs: 20_000, operationTimeoutMs: 60_000 },
      });
      const pages = [one, other, one, other, one, other, one, other];
      const answers = await Promise.all(pages.map(({ query }) => query(documentOf(5))));
      expect(answers.flatMap(({ body }) => body.errors ?? [])).toEqual([]);
      expect(refused).toEqual([]);
      const [times = []] = counted.values();
      expect([times.length, mostWithin(rate.windowMs, times)]).toEqual([40, rate.calls]);
    });

    it('the one shows at once what the other has written', async () => {
      const { one, other } = await startTwoOverRedis({ secrets });
      expect((await one.query(pipeQuery)).body.data.pipe.state).toBe('Running');
      await other.query(pipeQuery);
      await other.query(stopPipe());
      for (const { query } of [one, other]) {
        expect((await query(pipeQuery)).body.data.pipe.state).toBe('Stopping');
      }
    });

    it('the one shows nothing more of a credential that the other sees refused', async () => {
      const { one, other, world, keysOf } = await startTwoOverRedis({ secrets });
      await one.query(pipeQuery);
      // It is noted in Redis that something is kept.
      await expect.poll(async () => (await keysOf('held')).length).toBeGreaterThan(0);
      world.fail(`GET ${pipePath()}`, 401);
      await other.query(pipeQuery, anew);
      const { body } = await one.query(pipeQuery);
      expect(body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    });
  },
);

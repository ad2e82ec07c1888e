import { describe, expect, it } from 'vitest';
import type { Stack } from '../../support/harness.ts';
import { createLiveWorld, pipePath, pipeQuery, stopPipe } from '../../support/live-world.ts';
import {
  createExactUpstream,
  documentOf,
  mostWithin,
} from '../../support/pacing/exact-upstream.ts';
import { rotations, startTwoOverRedis } from '../../support/redis/stacks.ts';
import { redisPath } from '../../support/redis.ts';

const stateAt = async ({ query }: Stack): Promise<string> =>
  (await query(pipeQuery)).body.data.pipe.state;
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

    it('the one shows at once what the other has written, and neither loses its own answers', async () => {
      const { one, other, keysOf } = await startTwoOverRedis({ secrets });
      expect(await stateAt(one)).toBe('Running');
      await other.query(pipeQuery);
      await expect.poll(() => keysOf('read')).toHaveLength(2);
      await other.query(stopPipe());
      expect([await stateAt(one), await stateAt(other)]).toEqual(['Stopping', 'Stopping']);
    });

    it('the one keeps nothing while a write of the other may still be carried out', async () => {
      const world = createLiveWorld();
      const { one, other } = await startTwoOverRedis({
        secrets,
        management: (call) =>
          call.method === 'PATCH' ? { body: '{', isCutOff: true } : world.management(call),
      });
      await other.query(stopPipe());
      expect(await stateAt(one)).toBe('Running');
      world.states[0] = 'Stopping';
      expect(await stateAt(one)).toBe('Stopping');
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

import { describe, expect, it } from 'vitest';
import { namePrefix } from '../../src/redis/connection.ts';
import { json, result } from '../support/harness.ts';
import { pipeQuery, stopPipe } from '../support/live-world.ts';
import { answersIn, complaintsOf, megabyte, tenant } from '../support/redis/room.ts';
import { age } from '../support/redis/shared-logs.ts';
import { startTwoOverRedis } from '../support/redis/stacks.ts';
import { redisPath, startRedis } from '../support/redis.ts';

/** So many reads that stay fresh for long, equal to no other ones. */
const invitations = (page: number): string => {
  const fields = Array.from({ length: 5 }, (_, index) => {
    const id = `00000000-0000-4000-8000-${`${5 * page + index}`.padStart(12, '0')}`;
    return `o${index}: organization(id: "${id}") { invitations { email } }`;
  });
  return `{ ${fields.join(' ')} }`;
};

describe.skipIf(redisPath === undefined)('of two gateways over one Redis', () => {
  it('both keep a part of what one credential reads: the newest', async () => {
    const { redis, one, other, calls } = await startTwoOverRedis({
      management: () => result([megabyte()]),
    });
    for (let page = 0; page < 4; page += 1) await one.query(invitations(page));
    const last = invitations(4);
    await one.query(last);
    calls();
    // The last ones may still be on their way.
    await expect.poll(async () => (await answersIn(redis)).count).toBe(16);
    const { bytes } = await answersIn(redis);
    expect(bytes).toBeLessThanOrEqual(16 * 1024 * 1024);
    await other.query(last);
    expect(calls()).toEqual([]);
  });

  it('neither is out of order for a key that somebody else has written', async () => {
    const redis = await startRedis();
    await age(redis);
    const stacks = await startTwoOverRedis({
      redis,
      config: { managementRate: { calls: 40, windowMs: 1000 } },
    });
    const { one, other } = stacks;
    const spoil = async (): Promise<number> => {
      const names = (await redis.dump()).map(({ name }) => name);
      const spoilt = names.filter((name) => name.toString() !== `${namePrefix}era`);
      for (const name of spoilt) {
        await redis.command('DEL', name);
        await redis.command('RPUSH', name, 'spoilt');
      }
      return spoilt.length;
    };
    for (const each of [pipeQuery, stopPipe(), pipeQuery]) {
      await one.query(each);
      expect(await spoil()).toBeGreaterThan(3);
      expect((await other.query(each)).body.errors).toBeUndefined();
    }
    expect(complaintsOf(stacks)).not.toContain('"redis":"down"');
  });

  it('neither has anything noted of a credential that was refused and has read nothing', async () => {
    const { redis, one } = await startTwoOverRedis({
      management: () => json({ error: 'no' }, 401),
    });
    for (let number = 0; number < 5; number += 1) {
      await one.query(pipeQuery, { headers: tenant(`invented ${number}`) });
    }
    const names = (await redis.dump()).map(({ name }) => name.toString());
    expect(names.filter((name) => name.startsWith(`${namePrefix}changed`))).toEqual([]);
  });
});

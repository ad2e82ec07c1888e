import { describe, expect, it } from 'vitest';
import { namePrefix } from '../../src/redis/names.ts';
import { json, result } from '../support/harness.ts';
import { pipePath, pipeQuery, stopPipe } from '../support/live-world.ts';
import { startTwoOverRedis, tenant } from '../support/redis/stacks.ts';
import { eraOf, redisPath, startAgedRedis } from '../support/redis.ts';

/** Reads the invitations of five organizations, other ones for each page. They stay fresh for 30 seconds. */
const invitations = (page: number): string => {
  const fields = Array.from({ length: 5 }, (_, index) => {
    const id = `00000000-0000-4000-8000-${`${5 * page + index}`.padStart(12, '0')}`;
    return `o${index}: organization(organizationId: "${id}") { invitations { email } }`;
  });
  return `{ ${fields.join(' ')} }`;
};

/** In an hour, in milliseconds of Redis' clock. */
const future = String(Date.now() + 3_600_000);

const megabyte = { id: 'p', name: 'x'.repeat(1_000_000), state: 'Running' };

describe.skipIf(redisPath === undefined)('of two gateways over one Redis', () => {
  it('both keep a part of what one credential reads: the newest', async () => {
    const { one, other, calls, keysOf } = await startTwoOverRedis({
      // On a busy machine, bodies of a megabyte take longer than the default.
      config: { redisTimeoutMs: 20_000 },
      management: () => result([megabyte]),
    });
    for (let page = 0; page < 5; page += 1) await one.query(invitations(page));
    calls();
    // The last ones may still be on their way.
    await expect.poll(async () => (await keysOf('read')).length).toBe(16);
    const values = (await keysOf('read')).flatMap((key) => key.values);
    const bytes = values.reduce((sum, { length }) => sum + length, 0);
    expect(bytes).toBeLessThanOrEqual(16 * 1024 * 1024);
    await other.query(invitations(4));
    expect(calls()).toEqual([]);
  });

  it('both go on sharing beside answers for which there is no room', async () => {
    const redis = await startAgedRedis({ args: ['--maxmemory', '14mb'] });
    let state = 'Running';
    const { one, other, calls } = await startTwoOverRedis({
      redis,
      config: { redisTimeoutMs: 20_000 },
      management: ({ method, path }) => {
        if (method === 'PATCH') state = 'Stopping';
        const isLarge = path.endsWith('/invitations');
        return result(isLarge ? [megabyte] : { id: 'p', name: 'pipe', state });
      },
    });
    for (let page = 0; page < 4; page += 1) {
      const { body } = await one.query(invitations(page), { headers: tenant(`${page}`) });
      expect(body.errors).toBeUndefined();
    }
    calls();
    await one.query(pipeQuery);
    await other.query(pipeQuery);
    expect(calls()).toHaveLength(1);
    await one.query(stopPipe());
    expect((await other.query(pipeQuery)).body.data.pipe.state).toBe('Stopping');
    expect(one.complaints() + other.complaints()).not.toContain('"redis":"down"');
  });

  it.each<readonly [string, (name: string, kind: string) => readonly [string, ...string[]]]>([
    ['of another type', (name) => ['RPUSH', name, 'spoilt']],
    [
      'that holds no numbers',
      (name, kind) =>
        ({
          hash: ['HSET', name, 'sentAt', 'spoilt', 'readAt', 'spoilt'] as const,
          zset: ['ZADD', name, 'inf', 'spoilt'] as const,
        })[kind] ?? ['SET', name, 'spoilt', 'KEEPTTL'],
    ],
    [
      'with times of the future, since the clock was set back,',
      (name, kind) =>
        ({
          hash: ['HSET', name, 'sentAt', future, 'readAt', future] as const,
          zset: ['ZADD', name, future, 'u0'] as const,
        })[kind] ?? ['SET', name, name.includes(':hold:') ? '0' : future, 'KEEPTTL'],
    ],
  ])('neither is out of order for a key %s that somebody else has written', async (way, spoilt) => {
    const { redis, world, one, other } = await startTwoOverRedis({
      config: { managementRate: { calls: 40, windowMs: 1000 }, redisTimeoutMs: 20_000 },
    });
    const kinds = new Set<string>();
    const spoil = async (): Promise<void> => {
      const names = (await redis.dump()).map(({ name }) => name);
      for (const name of names.filter((each) => each !== `${namePrefix}era`)) {
        kinds.add(name.split(':')[1] ?? '');
        if (way === 'of another type') await redis.command('DEL', name);
        await redis.command(...spoilt(name, String(await redis.command('TYPE', name))));
      }
    };
    for (const status of [undefined, 500, 429, undefined]) {
      for (const each of [pipeQuery, stopPipe(), pipeQuery]) {
        world.fail(`PATCH ${pipePath()}/state`, status);
        await one.query(each);
        await spoil();
        world.fail(`PATCH ${pipePath()}/state`, undefined);
        expect((await other.query(each)).body.errors).toBeUndefined();
      }
    }
    const all = ['changed', 'changed-for-all', 'held', 'hold', 'read', 'shelf', 'slots'];
    expect([...kinds].sort()).toEqual([...all, 'uncertain']);
    expect(one.complaints() + other.complaints()).not.toContain('"redis":"down"');
  });

  it.each([
    ['SET', 'spoilt since ever'],
    // Of a Redis whose clock was set back.
    ['SET', `spoilt 1000   ${future}`],
    ['SET', 'spoilt 1000  another-run-id'],
  ])('a new era begins for one that is spoilt (%s %s)', async (command, value) => {
    const { redis, one, untilRedisIs } = await startTwoOverRedis();
    await redis.command('DEL', `${namePrefix}era`);
    await redis.command(command, `${namePrefix}era`, value);
    await expect.poll(() => one.complaints()).toContain('"reason":"ERA"');
    await untilRedisIs('up');
    expect((await eraOf(redis))[0]).not.toBe('spoilt');
  });

  it('neither has anything noted of a credential that was refused and has read nothing', async () => {
    const { one, keysOf } = await startTwoOverRedis({
      management: () => json({ error: 'no' }, 401),
    });
    for (let number = 0; number < 5; number += 1) {
      await one.query(pipeQuery, { headers: tenant(`invented ${number}`) });
    }
    expect([await keysOf('changed'), await keysOf('changed-for-all')]).toEqual([[], []]);
  });
});

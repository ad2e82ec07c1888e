import { describe, expect, it } from 'vitest';
import { type Answering, result } from '../../support/harness.ts';
import { pipePath, pipeQuery, stopPipe } from '../../support/live-world.ts';
import { createDocuments } from '../../support/pacing/documents.ts';
import { answersIn, complaintsOf, megabyte, tenant } from '../../support/redis/room.ts';
import { startTwoOverRedis } from '../../support/redis/stacks.ts';
import { redisPath, startRedis } from '../../support/redis.ts';

describe.skipIf(redisPath === undefined)('two gateways over one Redis', () => {
  it('go on sharing beside six tenants with 50 answers of a megabyte each, though there is little room', async () => {
    const redis = await startRedis({ args: ['--maxmemory', '64mb'] });
    const isLarge = ({ path }: Parameters<Answering>[0]) => path.endsWith('/pipes');
    const states = ['Running'];
    const stacks = await startTwoOverRedis({
      redis,
      management: (call) => {
        if (call.method !== 'GET') states[0] = 'Stopping';
        return result(isLarge(call) ? [megabyte()] : { id: 'p', name: 'pipe', state: states[0] });
      },
    });
    const { one, other, calls } = stacks;
    const documentOf = createDocuments();
    for (let page = 0; page < 10; page += 1) {
      for (const name of ['one', 'two', 'three', 'four', 'five', 'six']) {
        const { body } = await one.query(documentOf(5), { headers: tenant(name) });
        expect(body.errors).toBeUndefined();
      }
    }
    expect(calls()).toHaveLength(300);
    const { count, bytes } = await answersIn(redis);
    expect(count).toBeGreaterThanOrEqual(6);
    expect(bytes).toBeLessThanOrEqual(48 * 1024 * 1024);
    // What is small and was read last is shared, and a mutation is known to both.
    await one.query(pipeQuery);
    await other.query(pipeQuery);
    expect(calls()).toEqual([`GET ${pipePath()}`]);
    await one.query(stopPipe());
    expect((await other.query(pipeQuery)).body.data.pipe.state).toBe('Stopping');
    expect(complaintsOf(stacks)).not.toContain('"redis":"down"');
  });
});

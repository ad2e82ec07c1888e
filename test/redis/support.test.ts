import { describe, expect, it, vi } from 'vitest';
import { redisPath, startRedis } from '../support/redis.ts';

describe.skipIf(redisPath === undefined)('the Redis of the tests', () => {
  it('answers PING, is killed, and comes back empty on its port', async () => {
    const redis = await startRedis();
    expect(redis.url).toBe(`redis://127.0.0.1:${redis.port}`);
    expect(await redis.command('PING')).toBe('PONG');
    await redis.command('SET', 'name', 'value');
    await redis.kill();
    await expect(redis.command('PING')).rejects.toThrow('ECONNREFUSED');
    await redis.restart();
    expect(await redis.dump()).toEqual([]);
  });

  it('hangs until it is resumed', async () => {
    const redis = await startRedis();
    await redis.hang();
    const ended = vi.fn<() => void>();
    const answer = redis.command('PING').finally(ended);
    // It is asked by now: another server, which connects later, has had all its turns.
    const other = await startRedis();
    expect(await other.command('PING')).toBe('PONG');
    expect(ended).not.toHaveBeenCalled();
    redis.resume();
    expect(await answer).toBe('PONG');
  });

  it('dumps the keys of every type with their bytes, until it is flushed', async () => {
    const redis = await startRedis({ password: 'open: sesame' });
    const bytes = Buffer.from([0, 13, 10, 255]);
    await redis.command('SET', 'string', bytes);
    await redis.command('HSET', 'hash', 'field', bytes);
    await redis.command('RPUSH', 'list', 'first', bytes);
    await redis.command('SADD', 'set', bytes);
    await redis.command('ZADD', 'zset', '7', bytes);
    await redis.command('XADD', 'stream', '1-1', 'field', bytes);
    await redis.command('SET', bytes, '', 'PX', '60000');
    const dumped = await redis.dump();
    const values = dumped.map(({ name, values }): [string, readonly Buffer[]] => [
      name.toString('latin1'),
      values,
    ]);
    const of = (text: string): Buffer => Buffer.from(text);
    expect(Object.fromEntries(values)).toEqual({
      string: [bytes],
      hash: [of('field'), bytes],
      list: [of('first'), bytes],
      set: [bytes],
      zset: [bytes, of('7')],
      stream: [of('1-1'), of('field'), bytes],
      [bytes.toString('latin1')]: [of('')],
    });
    const lasting = dumped.filter(({ expiresIn }) => expiresIn === -1);
    expect(lasting).toHaveLength(6);
    await redis.flush();
    expect(await redis.dump()).toEqual([]);
  });

  it('takes another port where the first is in use', async () => {
    const { port: first } = await startRedis();
    const random = vi.spyOn(Math, 'random').mockReturnValueOnce((first - 20_000 + 0.5) / 12_000);
    const redis = await startRedis();
    expect(random.mock.calls.length).toBeGreaterThan(1);
    random.mockRestore();
    expect(redis.port).not.toBe(first);
    expect(await redis.command('PING')).toBe('PONG');
  });

  it('says what is wrong where it cannot start, and answers a wrong command with an error', async () => {
    await expect(startRedis({ args: ['--no-such-setting', '1'] })).rejects.toThrow(
      'redis-server ended',
    );
    const redis = await startRedis();
    await expect(redis.command('NO')).rejects.toThrow("Redis says: ERR unknown command 'NO'");
  });
});

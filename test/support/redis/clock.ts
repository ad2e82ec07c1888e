import { Redis as Client } from 'ioredis';
import { onTestFinished, vi } from 'vitest';
import type { Redis } from './server.ts';

/** Where Redis has by how many seconds its clock is wrong. */
const name = 'clock';

/** Moves the clock, and what expires by it. */
const move = `
for _, key in ipairs(redis.call('KEYS', '*')) do
  local left = redis.call('PTTL', key) - ARGV[1] * 1000
  if left <= 0 then redis.call('DEL', key) else redis.call('PEXPIRE', key, left) end
end
redis.call('SET', '${name}', ARGV[1])
`;

/**
 * Has all scripts of this process go by a clock that the function given moves, by so many seconds. To be called before Redis
 * holds anything.
 */
export const createClock = (redis: Redis): ((seconds: number) => Promise<void>) => {
  const { callBuffer } = Client.prototype;
  const call = vi.spyOn(Client.prototype, 'callBuffer');
  call.mockImplementation(function (this: Client, command: string, ...args: unknown[]) {
    const [script, ...rest] = args;
    const moved = String(script).replace(
      "redis.call('TIME')",
      `$&\ntime[1] = time[1] + (redis.call('GET', '${name}') or 0)`,
    );
    return Reflect.apply(callBuffer, this, [command, moved, ...rest]);
  });
  onTestFinished(() => call.mockRestore());
  return async (seconds) => {
    await redis.command('EVAL', move, '0', String(seconds));
  };
};

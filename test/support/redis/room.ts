import { namePrefix } from '../../../src/redis/connection.ts';
import type { Redis } from '../redis.ts';
import type { startTwoOverRedis } from './stacks.ts';

export const tenant = (name: string) => ({
  'management-authorization': `Basic ${Buffer.from(`${name}:secret`).toString('base64')}`,
});
export const megabyte = (): unknown => ({ id: 'p', name: 'x'.repeat(1_000_000), state: 'Running' });

/** The bytes of all answers, and how many there are. */
export const answersIn = async (redis: Redis) => {
  const all = (await redis.dump()).filter(({ name }) =>
    name.toString().startsWith(`${namePrefix}read:`),
  );
  const bytes = all.flatMap(({ values }) => values).reduce((sum, each) => sum + each.length, 0);
  return { count: all.length, bytes };
};
export const complaintsOf = ({
  one,
  other,
}: Awaited<ReturnType<typeof startTwoOverRedis>>): string => one.complaints() + other.complaints();

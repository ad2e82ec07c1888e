import { expect, it, onTestFinished } from 'vitest';
import { connectRedis, type RedisConnection, type Run } from '../../src/redis/connection.ts';
import { createRedisMemory } from '../../src/redis/memory.ts';
import { createNames } from '../../src/redis/names.ts';
import { createPendingChanges } from '../../src/redis/pending-changes.ts';
import { createSeal } from '../../src/redis/seal.ts';
import { RedisUnavailable } from '../../src/redis/unavailable.ts';
import { redisPath, startRedis } from '../support/redis.ts';
import { carryOut, present, rowsOf } from '../support/rows.ts';
import { settled } from '../support/upstream/calls.ts';

/** Carries out a row with a connection that notes the announced names, or is out of reach. */
const announcedBy = async (row: string): Promise<string> => {
  const announced: string[] = [];
  let isUp = true;
  let meanwhile: (() => void) | undefined;
  let beat: ((id: string) => Promise<void>) | undefined;
  const run: Run = async (_, keys) => {
    if (!isUp) throw new RedisUnavailable('down');
    meanwhile?.();
    meanwhile = undefined;
    announced.push(keys.join(' '));
    return 0;
  };
  const pending = createPendingChanges(
    {
      run,
      onBeat: (report) => {
        beat = (id) => report(run, { id, bornAt: 0 }).catch(() => undefined);
      },
    },
    ['lost'],
  );
  const down = (): void => {
    isUp = false;
  };
  const change = (names = '', uncertain: readonly string[] = [], isProven = true): void =>
    void pending.announce({ marks: names.split(' '), uncertain, isProven });
  await carryOut(
    row,
    [
      [/^down$/, down],
      [
        /^up(?: in (\w+))?$/,
        (id = 'an era') => {
          isUp = true;
          return present(beat)(id);
        },
      ],
      [/^(\w+) changes with (\w+) uncertain$/, (one, other = '') => change(one, [other])],
      [/^([a-z](?: [a-z])*) changes?$/, (names) => change(names)],
      [
        /^(\w+) will change while that is announced and Redis fail$/,
        (name) => {
          meanwhile = () => {
            down();
            change(name);
          };
        },
      ],
      [
        /^(\d+)( invented)? change$/,
        (count, invented) => {
          for (let each = 0; each < Number(count); each += 1) {
            change(`${each}`, [], invented === undefined);
          }
        },
      ],
    ],
    settled,
  );
  return [...announced, pending.isEmpty ? 'all' : 'not all'].join(' | ');
};

/** The names that are written with each command. */
const invented = Array.from({ length: 10 }, (_, part) =>
  Array.from({ length: 1000 }, (_, each) => 1000 * part + each + 1).join(' '),
);

it.each(
  rowsOf(`
  is announced again where it came again while it was announced
    down, a b change, b will change while that is announced and Redis fail, up, up -> a b | b | all
  that is uncertain is announced again in another era, which knows nothing of it
    up, a changes with b uncertain, up, up in another -> a b | a b | all
  is announced with the next beat where it was remembered after all others were announced, and once
    down, a changes & up, up, up -> a | all
  of more names than are remembered is announced as a change of everything
    down, 10001 change, up -> lost | all
  of more names of invented credentials makes those forget the oldest, and nobody else
    down, a changes, 10001 invented change, up -> ${invented.join(' | ')} | a | all
`),
)('a change %s', async (_, row, announced) => {
  expect(await announcedBy(row)).toBe(announced);
});

/** What a process with its own answer of that age is told of a read. */
const lookOver = async (ageMs: number, given: Partial<RedisConnection>) => {
  const connection: RedisConnection = {
    ...({ state: 'up', problem: undefined, era: { id: 'era', bornAt: 0 } } as const),
    ...{ isInNewEra: false, info: undefined, doubtfulUntil: -Infinity },
    rejoined: async () => false,
    run: async () => [Buffer.from('marks'), 0, '', []],
    ...{ toRedis: (time) => time, fromRedis: (time) => time },
    ...{ onBeat: () => undefined, close: () => undefined },
    ...given,
  };
  const names = { names: createNames('a secret'), seal: createSeal('a secret') };
  const readAt = performance.now() - ageMs;
  return createRedisMemory({ connection, ...names }).look(
    {
      ...({ upstream: 'management', credential: 'Basic one', path: '/pipes' } as const),
      ...{ starts: [], pathsNameOwner: true },
    },
    {
      ...{ readAfter: 0, freshMs: 30_000, begunMs: 1500 },
      own: { sentAt: readAt, readAt, marks: 'marks' },
    },
  );
};

it.each([60_000, -1])(
  'a look says whether others may have pending changes (for %i ms)',
  async (forMs) => {
    const looked = await lookOver(0, { doubtfulUntil: performance.now() + forMs });
    expect(looked).toMatchObject({ marks: 'marks', uncertainMs: 0, isDoubtful: forMs > 0 });
  },
);

it.each([true, false])(
  'what was read before is of no use in a new era (%s) that is not joined yet, and is where Redis is out of reach',
  async (isInNewEra) => {
    const looked = await lookOver(0, { era: undefined, isInNewEra });
    expect(looked && looked.uncertainMs > 0).toBe(isInNewEra || undefined);
    expect(looked?.marks).not.toBe('marks');
  },
);

it.skipIf(redisPath === undefined)(
  'others may have such changes once Redis did not answer, and a beat comes whenever it does',
  async () => {
    const redis = await startRedis();
    const connection = connectRedis({ url: redis.url, timeoutMs: 300, onChange: () => undefined });
    onTestFinished(connection.close);
    const beats: string[] = [];
    connection.onBeat(async () => void beats.push(connection.state));
    await expect.poll(() => beats.length).toBeGreaterThan(2);
    // The first one comes before Redis is used.
    expect(beats.slice(0, 3)).toEqual(['down', 'up', 'up']);
    const { era } = connection;
    await redis.flush();
    await expect.poll(() => connection.era?.id ?? era?.id).not.toBe(era?.id);
    // Nothing can be there that others have read before.
    expect(connection.doubtfulUntil).toBe(-Infinity);
    await redis.hang();
    await expect.poll(() => connection.state).toBe('down');
    expect(await connection.rejoined()).toBe(false);
    const { length } = beats;
    redis.resume();
    await expect.poll(() => beats.length).toBeGreaterThan(length);
    expect(connection.doubtfulUntil).toBeGreaterThan(0);
  },
);

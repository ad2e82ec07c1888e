import { expect, it, onTestFinished } from 'vitest';
import { connectRedis, type RedisConnection, type Run } from '../../src/redis/connection.ts';
import { createRedisMemory } from '../../src/redis/memory.ts';
import { createNames } from '../../src/redis/names.ts';
import { createPendingChanges } from '../../src/redis/pending-changes.ts';
import { createSeal } from '../../src/redis/seal.ts';
import { RedisUnavailable } from '../../src/redis/unavailable.ts';
import { redisPath, startRedis } from '../support/redis.ts';
import { present } from '../support/steps.ts';
import { settled } from '../support/upstream/calls.ts';

/** Over a connection that notes the announced names, or is out of reach. */
const start = () => {
  const announced: string[] = [];
  let isUp = true;
  let meanwhile = (): void => undefined;
  let beat: ((id: string) => Promise<void>) | undefined;
  const run: Run = async (_, keys) => {
    if (!isUp) throw new RedisUnavailable('down');
    meanwhile();
    meanwhile = () => undefined;
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
  return {
    ...{ pending, announced, down },
    up: async (id = 'an era') => {
      isUp = true;
      await present(beat)(id);
      await settled();
    },
    change: async (marks: string, { uncertain = [] as string[], isProven = true } = {}) => {
      pending.announce({ marks: marks.split(' '), uncertain, isProven });
      await settled();
    },
    /** While the next names are announced, this one changes, and Redis fails. */
    failMeanwhile: (name: string) => {
      meanwhile = () => {
        down();
        pending.announce({ marks: [name], uncertain: [], isProven: true });
      };
    },
    expectAnnounced: (...names: readonly string[]) =>
      expect([announced, pending.isEmpty]).toEqual([names, true]),
  };
};

it('a change is announced again where it came again while it was announced', async () => {
  const { down, up, change, failMeanwhile, expectAnnounced } = start();
  down();
  await change('a b');
  failMeanwhile('b');
  await up();
  await up();
  expectAnnounced('a b', 'b');
});

it('a change that is uncertain is announced again in another era, which knows nothing of it', async () => {
  const { up, change, expectAnnounced } = start();
  await up();
  await change('a', { uncertain: ['b'] });
  await up();
  await up('another');
  expectAnnounced('a b', 'a b');
});

it('a change is announced with the next beat where it was remembered after all others were announced, and once', async () => {
  const { pending, down, up, expectAnnounced } = start();
  down();
  pending.announce({ marks: ['a'], uncertain: [], isProven: true });
  for (let beats = 0; beats < 3; beats += 1) await up();
  expectAnnounced('a');
});

it('a change of more names than are remembered is announced as a change of everything', async () => {
  const { down, up, change, expectAnnounced } = start();
  down();
  for (let each = 0; each <= 10_000; each += 1) await change(`${each}`);
  await up();
  expectAnnounced('lost');
});

it('changes of more names of invented credentials make those forget the oldest, and nobody else', async () => {
  const { down, up, change, expectAnnounced } = start();
  down();
  await change('a');
  for (let each = 0; each <= 10_000; each += 1) await change(`${each}`, { isProven: false });
  await up();
  const kept = Array.from({ length: 10 }, (_, part) =>
    Array.from({ length: 1000 }, (_, each) => 1000 * part + each + 1).join(' '),
  );
  expectAnnounced(...kept, 'a');
});

/** What a process with its own answer of that age is told of a read. */
const lookOver = async (ageMs: number, given: Partial<RedisConnection>) => {
  const connection: RedisConnection = {
    ...({ state: 'up', problem: undefined, era: { id: 'era', bornAt: 0 } } as const),
    ...{ answers: true, info: undefined, doubtfulUntil: -Infinity },
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
  'what was read before is of no use where Redis answers (%s) in an era that is not joined yet, and is where it does not',
  async (answers) => {
    const looked = await lookOver(0, { era: undefined, answers });
    expect(looked && looked.uncertainMs > 0).toBe(answers || undefined);
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

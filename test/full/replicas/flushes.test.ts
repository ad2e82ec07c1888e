import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { result } from '../../support/harness.ts';
import { pipeIds, pipeQuery, stopPipe } from '../../support/live-world.ts';
import { createRandom } from '../../support/random/random.ts';
import { redisPath } from '../../support/redis.ts';
import { startReplicas } from './replicas.ts';

/** How many reads are judged. */
const enough = 2000;
/** The writer uses Redis for its writes alone, so that these are the first to meet an empty Redis. */
const [writer, ...readers] = [0, 1, 2] as const;

it.skipIf(redisPath === undefined)(
  'while Redis is flushed again and again, no replica answers with what was read before an answered write',
  async () => {
    let writes = 0;
    const { replicas, redis } = await startReplicas(
      { calls: 1000, windowMs: 1000 },
      false,
      ({ method }) => {
        if (method === 'PATCH') writes += 1;
        return result({ id: pipeIds[0], name: String(writes), state: 'Running' });
      },
      // Nothing but the flushes is to make a difference.
      { REDIS_TIMEOUT_MS: '20000' },
    );
    const ask = async (replica: number, query: string) => {
      const response = await fetch(`http://127.0.0.1:${replicas[replica]?.port}/graphql`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'management-authorization': `Basic ${btoa('key:secret')}`,
        },
        body: JSON.stringify({ query }),
      });
      const { data, errors } = await response.json();
      expect(errors).toBeUndefined();
      return data;
    };
    const random = createRandom(1);
    let answered = 0;
    const reads: { readonly least: number; readonly shown: number }[] = [];
    const isOver = (): boolean => reads.length >= enough;
    const write = async (): Promise<void> => {
      while (!isOver()) {
        await ask(writer, stopPipe());
        answered = writes;
        await pause(random.below(300));
      }
    };
    const read = async (replica: number): Promise<void> => {
      while (!isOver()) {
        const least = answered;
        const { pipe } = await ask(replica, pipeQuery);
        reads.push({ least, shown: Number(pipe.name) });
        await pause(random.below(5));
      }
    };
    const flush = async (): Promise<void> => {
      while (!isOver()) {
        await redis.flush();
        // Some come before a read has joined the era after the last one.
        await pause(random.below(random.chance(50) ? 12 : 300));
      }
    };
    await Promise.all([write(), flush(), ...[...readers, ...readers].map(read)]);
    expect(reads.filter(({ least, shown }) => shown < least)).toEqual([]);
    expect(answered).toBeGreaterThan(10);
  },
);

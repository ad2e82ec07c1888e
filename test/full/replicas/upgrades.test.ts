import { describe, expect, it } from 'vitest';
import { result } from '../../support/harness.ts';
import { pipeIds, pipeQuery, stopPipe } from '../../support/live-world.ts';
import { redisPath } from '../../support/redis.ts';
import { hasLastRelease, takeLastRelease } from './last-release.ts';
import { startReplicas } from './replicas.ts';

describe.skipIf(redisPath === undefined || !hasLastRelease)('over one Redis', () => {
  it('the last release and the present code show changes of each other at once, and misread no answer', async () => {
    let writes = 0;
    const { replicas, replace } = await startReplicas(
      { calls: 1000, windowMs: 1000 },
      false,
      ({ method }) => {
        if (method === 'PATCH') writes += 1;
        return result({ id: pipeIds[0], name: `after ${writes} writes`, state: 'Running' });
      },
    );
    await replace(0, await takeLastRelease());
    const ask = async (index: number, query: string) => {
      const response = await fetch(`http://127.0.0.1:${replicas[index]?.port}/graphql`, {
        method: 'POST',
        headers: {
          ...{ 'content-type': 'application/json', connection: 'close' },
          'management-authorization': `Basic ${btoa('key:secret')}`,
        },
        body: JSON.stringify({ query }),
      });
      return response.json();
    };
    const [old, present, other] = [0, 1, 2] as const;
    for (const reader of [old, present]) {
      for (const writer of [old, present, old, present]) {
        expect((await ask(writer, stopPipe())).errors).toBeUndefined();
        const pipe = { name: `after ${writes} writes`, state: 'Running' };
        for (const index of [reader, old, other, present]) {
          expect(await ask(index, pipeQuery)).toEqual({ data: { pipe } });
        }
      }
    }
    expect(writes).toBe(8);
  });
});

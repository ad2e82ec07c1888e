import { describe, expect, it } from 'vitest';
import type { Call } from '../../support/harness.ts';
import { redisPath } from '../../support/redis.ts';
import {
  count,
  createCallers,
  createOrganization,
  pipeWrites,
  servicePath,
  writesAmong,
} from '../../support/rest/callers.ts';
import { startReplicas } from './replicas.ts';

// A tenth of the documented window, since replicas have the machine's clock.
const rate = { calls: 10, windowMs: 1000 };

describe.skipIf(redisPath === undefined)('three replicas over one Redis', () => {
  it('answer a plan of 40 reads and an apply of 100 writes beside a viewer and a writer, and get no 429', async () => {
    const { answering } = createOrganization(8);
    const { nextUrl, upstream, calls } = await startReplicas(rate, true, answering, {
      REST: 'write',
    });
    const { view, write, inParallel } = createCallers(nextUrl);
    const state = { isOver: false };
    const viewing = view(() => state.isOver);
    const writing = write(() => state.isOver);
    const { all } = await inParallel(
      count(40, (each) => ['GET', `${servicePath(each)}/backupConfiguration`]),
    );
    const targets = count(100, (each) => `${servicePath(each)}/scaling`);
    const applied = await inParallel(
      targets.map((each) => ['PATCH', each, '{"numReplicas":3}'] as const),
    );
    state.isOver = true;
    const writes = await writing;
    for (const seen of [...(await viewing), ...writes]) {
      expect(seen).toMatchObject({ status: 200, errors: 0 });
    }
    expect(all.filter(({ status }) => status === 200)).toHaveLength(40);
    expect(applied.all.filter(({ status }) => status === 200)).toHaveLength(100);
    // All within what nine windows allow.
    const isOfPlan = ({ path }: Call) => path.endsWith('/backupConfiguration');
    const taken = calls.findLastIndex(isOfPlan) - calls.findIndex(isOfPlan);
    expect(taken).toBeLessThan(9 * rate.calls);
    const sent = [...pipeWrites(writes.length), ...targets.map((each) => `PATCH ${each}`)];
    expect(writesAmong(calls)).toEqual(sent.toSorted());
    expect(upstream.refused).toEqual([]);
  });
});

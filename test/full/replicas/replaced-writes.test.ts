import { describe, expect, it, onTestFinished } from 'vitest';
import { type Call, data, result, startBackend } from '../../support/harness.ts';
import { pipeSubscription } from '../../support/live-world.ts';
import { redisPath } from '../../support/redis.ts';
import { createHolders } from '../../support/replicas/load.ts';
import { startReplicas } from '../../support/replicas/replicas.ts';
import { startWrites } from '../../support/replicas/writes.ts';
import { subscribe } from '../../support/subscribe.ts';

const holders = createHolders(10);

/** Three replicas before a service that stops each pipe, and takes a moment for that. */
const start = async () => {
  const calls: Call[] = [];
  const management = await startBackend('management', calls, async ({ method, path }) => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    const state = method === 'PATCH' ? 'Stopping' : 'Running';
    return result({ id: path.split('/pipes/')[1]?.split('/')[0], name: 'pipe', state });
  });
  onTestFinished(management.close);
  const observability = await startBackend('observability', calls, () => data([]));
  onTestFinished(observability.close);
  const replicas = await startReplicas({
    MANAGEMENT_URL: management.origin,
    OBSERVABILITY_URL: observability.origin,
    MANAGEMENT_RATE: '10/1s',
    // The machine may be busy with other tests.
    REDIS_TIMEOUT_MS: '2000',
  });
  return { ...replicas, calls: calls as readonly Call[] };
};

describe.skipIf(redisPath === undefined)(
  'while all replicas are replaced, one after the other,',
  () => {
    it('each mutation is answered and was sent once', async () => {
      const { url, calls, replicas, replace } = await start();
      const writes = startWrites({ url, holders });
      for (const index of replicas.keys()) {
        const { length } = writes.answers;
        await replace(index);
        await expect.poll(() => writes.answers.length).toBeGreaterThan(length + holders.length);
      }
      await writes.end();
      const done = JSON.stringify({
        data: { stopPipe: { pipe: { state: 'Stopping' }, userErrors: [] } },
      });
      expect(writes.answers.filter((answer) => answer !== done)).toEqual([]);
      expect(writes.answers).toHaveLength(writes.pipes.length);
      const sent = calls.filter(({ method }) => method === 'PATCH').map(({ path }) => path);
      const stopped = sent.map((path) => path.split('/pipes/')[1]?.split('/')[0]);
      expect(stopped.sort()).toEqual([...writes.pipes].sort());
    });

    it('a subscription is ended with complete when its replica is replaced, and not before', async () => {
      const { replicas, replace } = await start();
      const streams = await Promise.all(
        replicas.map(({ port }) =>
          subscribe(`http://127.0.0.1:${port}/graphql`, pipeSubscription()),
        ),
      );
      for (const stream of streams) await stream.event(1);
      const ended = () => streams.map(({ isComplete, response }) => [isComplete, response.closed]);
      for (const [index, stream] of streams.entries()) {
        expect(ended().slice(index)).toEqual(streams.slice(index).map(() => [false, false]));
        await replace(index);
        await stream.ended;
        expect(stream.isComplete).toBe(true);
      }
    });
  },
);

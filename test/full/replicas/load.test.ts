import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { result } from '../../support/harness.ts';
import { organizationId, pipeSubscription, serviceId } from '../../support/live-world.ts';
import { documentOf, mostWithin } from '../../support/pacing/exact-upstream.ts';
import { eraOf, redisPath, untilShared } from '../../support/redis.ts';
import { startReplicas } from '../../support/replicas/replicas.ts';
import { subscribe } from '../../support/subscribe.ts';

const rate = { calls: 10, windowMs: 1000 };
type Started = Awaited<ReturnType<typeof startReplicas>>;
/** So many credentials of management. */
const createHolders = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `Basic ${btoa(`key-${index}:secret`)}`);

interface LoadOptions {
  readonly holders: readonly string[];
  /** Requests of each credential under way at a time, and in all. */
  readonly parallel: number;
  readonly requests?: number;
  readonly document?: () => string;
}

/** Sends requests without a pause until it is ended, or all are sent. */
const startLoad = ({ url }: Started, options: LoadOptions) => {
  const { holders, parallel, requests = Infinity, document = () => documentOf(5) } = options;
  const answers: string[] = [];
  let isOver = false;
  const work = async (holder: string): Promise<void> => {
    for (let sent = 0; sent < requests && !isOver; sent += parallel) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'management-authorization': holder },
        body: JSON.stringify({ query: document() }),
      });
      answers.push(await response.text());
    }
  };
  const done = Promise.all(
    holders.flatMap((holder) => Array.from({ length: parallel }, () => work(holder))),
  );
  return {
    /** The bodies so far. */
    answers: answers as readonly string[],
    faults: () => answers.filter((answer) => JSON.parse(answer).errors !== undefined),
    /** Waits until so many more requests are answered. */
    untilMore: async (count: number): Promise<void> => {
      const { length } = answers;
      await expect.poll(() => answers.length).toBeGreaterThan(length + count);
    },
    done,
    /** Sends nothing further, and waits for what is under way. Rejects where a request got no answer. */
    end: async (): Promise<void> => {
      isOver = true;
      await done;
    },
  };
};

/** Milliseconds of `performance.now()` within which replicas go from sharing their limits to their own parts, or back. */
type Switch = readonly [from: number, to: number];

/** A time of the clock on the wall, as a log has it, as one of `performance.now()`. */
const ofClock = (milliseconds: number): number => milliseconds - performance.timeOrigin;

/** 2N − N/3 of ten calls, where each has three for itself: ten of those that are shared, and three each of the two others. */
const mostWithSwitch = 16;

/**
 * What happens to Redis, and between which times the replicas may have gone from one way to the other.
 *
 * @param working waits until calls were made in whole windows
 */
const createFaults = (
  { redis, untilRedisIs, replicas, upstream }: Started,
  working: () => Promise<void>,
) => {
  const switches: Switch[] = [];
  const switching = async (fault: () => unknown, state: string): Promise<void> => {
    const from = performance.now();
    await fault();
    await untilRedisIs(state);
    switches.push([from, performance.now()]);
  };
  /** After a loss, replicas share again as soon as what was lost counts no more. */
  const sharing = async (): Promise<void> => {
    await untilShared(redis, rate);
    const from = ofClock((await eraOf(redis))[1] + rate.windowMs + 1000);
    // Each replica learns of it with its next beat, within a second.
    switches.push([from - 100, from + 1000]);
  };
  return {
    hang: async (): Promise<void> => {
      await switching(redis.hang, 'down');
      await working();
      await switching(redis.resume, 'up');
      await working();
    },
    kill: async (): Promise<void> => {
      await switching(redis.kill, 'down');
      await working();
      await switching(redis.restart, 'up');
      await sharing();
      await working();
    },
    flush: async (): Promise<void> => {
      await switching(redis.flush, 'up');
      await sharing();
      await working();
    },
    /** The most calls of any credential in a window with a switch in it, and in any other. */
    most: () => {
      // Whatever else made a replica go by itself for a moment.
      const changes = replicas
        .flatMap(({ lines }) => lines('Redis'))
        .map(({ time }): Switch => [ofClock(Number(time)) - 5, ofClock(Number(time))]);
      const most = { withSwitch: 0, withoutSwitch: 0 };
      for (const times of upstream.counted.values()) {
        for (const began of times) {
          const ends = began + rate.windowMs;
          const { length } = times.filter((at) => at >= began && at < ends);
          const isIn = [...switches, ...changes].some(([from, to]) => from < ends && to >= began);
          const kind = isIn ? 'withSwitch' : 'withoutSwitch';
          most[kind] = Math.max(most[kind], length);
        }
      }
      return most;
    },
  };
};

const expectExact = ({ upstream }: Started, holders: readonly string[]): void => {
  expect(upstream.refused).toEqual([]);
  for (const holder of holders) {
    expect(mostWithin(rate.windowMs, upstream.counted.get(holder) ?? [])).toBe(rate.calls);
  }
};

describe.skipIf(redisPath === undefined)('three replicas under load', () => {
  it('send 1 000 calls without a 429, the limit in each window', async () => {
    const holders = createHolders(20);
    const started = await startReplicas(rate, true);
    const load = startLoad(started, { holders, parallel: 5, requests: 10 });
    await load.done;
    expect([load.faults(), started.calls.length]).toEqual([[], 1000]);
    expectExact(started, holders);
  });

  it('answer all requests, and get no 429, while all are replaced, one after the other', async () => {
    const holders = createHolders(10);
    const started = await startReplicas(rate, true);
    const { replicas, replace } = started;
    const first = [...replicas];
    const load = startLoad(started, { holders, parallel: 5 });
    for (const index of first.keys()) {
      await replace(index);
      await load.untilMore(holders.length);
    }
    await load.end();
    expect(load.faults()).toEqual([]);
    expect(replicas.filter((replica) => first.includes(replica))).toEqual([]);
    expectExact(started, holders);
  });

  it.each(['hang', 'kill', 'flush'] as const)(
    'whose Redis meets with a %s and comes back, keep the limit but in windows with a switch, and answer all requests',
    async (fault) => {
      const holders = createHolders(8);
      const started = await startReplicas(rate, false);
      const load = startLoad(started, { holders, parallel: 5 });
      const faults = createFaults(started, () => load.untilMore(6 * holders.length));
      await faults[fault]();
      await faults[fault]();
      await load.end();
      expect(load.faults()).toEqual([]);
      const { withSwitch, withoutSwitch } = faults.most();
      expect(withoutSwitch).toBe(rate.calls);
      expect(withSwitch).toBeLessThanOrEqual(mostWithSwitch);
    },
  );
});

describe.skipIf(redisPath === undefined)('while all replicas are replaced one by one', () => {
  /** Three replicas before a service that stops each pipe, and takes a moment for that. */
  const start = () =>
    startReplicas(rate, false, async ({ method, path }) => {
      await pause(30);
      const state = method === 'PATCH' ? 'Stopping' : 'Running';
      return result({ id: path.split('/')[7], name: 'pipe', state });
    });

  it('each mutation is answered and was sent once', async () => {
    const holders = createHolders(10);
    const started = await start();
    const pipes: string[] = [];
    const document = (): string => {
      const id = `00000000-0000-4000-8000-${String(pipes.length).padStart(12, '0')}`;
      pipes.push(id);
      const ids = `organizationId: "${organizationId}", serviceId: "${serviceId}", pipeId: "${id}"`;
      return `mutation { stopPipe(input: { ${ids} }) { pipe { state } } }`;
    };
    const writes = startLoad(started, { holders, parallel: 1, document });
    for (const index of started.replicas.keys()) {
      await started.replace(index);
      await writes.untilMore(holders.length);
    }
    await writes.end();
    const done = JSON.stringify({ data: { stopPipe: { pipe: { state: 'Stopping' } } } });
    expect(writes.answers).toEqual(pipes.map(() => done));
    const sent = started.calls.filter(({ method }) => method === 'PATCH');
    expect(sent.map(({ path }) => path.split('/')[7]).sort()).toEqual(pipes.toSorted());
  });

  it('a subscription is ended with complete when its replica is replaced, and not before', async () => {
    const { replicas, replace } = await start();
    const streams = await Promise.all(
      replicas.map(({ port }) => subscribe(`http://127.0.0.1:${port}/graphql`, pipeSubscription())),
    );
    for (const stream of streams) await stream.event(1);
    for (const [index, stream] of streams.entries()) {
      for (const { isComplete, response } of streams.slice(index)) {
        expect([isComplete, response.closed]).toEqual([false, false]);
      }
      await replace(index);
      await stream.ended;
      expect(stream.isComplete).toBe(true);
    }
  });
});

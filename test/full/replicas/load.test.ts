import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Answering, result } from '../../support/harness.ts';
import { organizationId, pipeSubscription, serviceId } from '../../support/live-world.ts';
import { documentOf, mostWithin } from '../../support/pacing/exact-upstream.ts';
import { redisPath, untilShared } from '../../support/redis.ts';
import { subscribe } from '../../support/subscribe.ts';
import { hasLastRelease, takeLastRelease } from './last-release.ts';
import { startReplicas } from './replicas.ts';
import { startSentinels } from './sentinels.ts';

const rate = { calls: 10, windowMs: 1000 };
type Started = Awaited<ReturnType<typeof startReplicas>>;
/** This number of credentials for management. */
const createHolders = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `Basic ${btoa(`key-${index}:secret`)}`);

interface LoadOptions {
  readonly holders: readonly string[];
  /** Requests of each credential under way at a time. */
  readonly parallel: number;
  readonly document?: () => string;
}

/** Sends requests to all replicas in turn, without a pause until it is ended. */
const startLoad = ({ nextUrl }: Started, options: LoadOptions) => {
  const { holders, parallel, document = () => documentOf(5) } = options;
  const answers: string[] = [];
  let isOver = false;
  const work = async (holder: string): Promise<void> => {
    while (!isOver) {
      const response = await fetch(nextUrl(), {
        method: 'POST',
        headers: {
          ...{ 'content-type': 'application/json', connection: 'close' },
          'management-authorization': holder,
        },
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
    /** Waits until this number of further requests are answered. */
    untilMore: async (count: number): Promise<void> => {
      const { length } = answers;
      await expect.poll(() => answers.length).toBeGreaterThan(length + count);
    },
    /** Sends nothing further, and waits for what is under way. Rejects where a request got no answer. */
    end: async (): Promise<void> => {
      isOver = true;
      await done;
    },
  };
};

/** 2N − N/3 of ten calls, where each has three for itself: ten of those that are shared, and three each of the two others. */
const mostWithSwitch = 16;

describe.skipIf(redisPath === undefined)('three replicas under load', () => {
  it.each<readonly [string, boolean, boolean]>([
    ['', false, false],
    ...(hasLastRelease
      ? [
          [', after the last release', true, false] as const,
          [', and the last release takes over again', false, true] as const,
        ]
      : []),
  ])(
    'answer all requests, and get no 429, while all are replaced, one after the other%s',
    async (_, wasLast, isLast) => {
      const last = wasLast || isLast ? await takeLastRelease() : undefined;
      const holders = createHolders(10);
      const started = await startReplicas(
        rate,
        true,
        undefined,
        {},
        undefined,
        wasLast ? last : undefined,
      );
      const { replicas, replace, upstream } = started;
      const first = [...replicas];
      const load = startLoad(started, { holders, parallel: 5 });
      await load.untilMore(10 * holders.length);
      for (const index of first.keys()) {
        await replace(index, isLast ? last : undefined);
        await load.untilMore(holders.length);
      }
      await load.end();
      expect([load.faults(), upstream.refused]).toEqual([[], []]);
      expect(replicas.filter((replica) => first.includes(replica))).toEqual([]);
      for (const times of upstream.counted.values()) {
        expect(mostWithin(rate.windowMs, times)).toBe(rate.calls);
      }
      expect(upstream.counted.size).toBe(holders.length);
    },
  );

  it.each(['hangs', 'is killed', 'is flushed'])(
    'whose Redis %s and comes back twice, answer all requests, exceed the limit in windows with a switch alone, and not by more than is told',
    async (fault) => {
      const holders = createHolders(8);
      const started = await startReplicas(rate, false);
      const { redis, untilRedisIs, upstream } = started;
      const load = startLoad(started, { holders, parallel: 5 });
      /** Until calls were made in whole windows. */
      const working = () => load.untilMore(6 * holders.length);
      for (const _ of [1, 2]) {
        if (fault === 'is flushed') await redis.flush();
        else {
          await (fault === 'hangs' ? redis.hang() : redis.kill());
          await untilRedisIs('down');
          await working();
          await (fault === 'hangs' ? redis.resume() : redis.restart());
        }
        await untilRedisIs('up');
        // After a loss, replicas share again as soon as what was lost counts no more.
        await untilShared(redis, rate);
        await working();
      }
      const sharedAt = performance.now();
      await working();
      await load.end();
      expect(load.faults()).toEqual([]);
      const all = [...upstream.counted.values()];
      const most = (from: number) =>
        all.map((times) =>
          mostWithin(
            rate.windowMs,
            times.filter((at) => at > from),
          ),
        );
      expect(Math.max(...most(-Infinity))).toBeLessThanOrEqual(mostWithSwitch);
      expect(Math.max(...most(sharedAt))).toBe(rate.calls);
    },
  );
});

describe.skipIf(redisPath === undefined)('three replicas that find Redis by its sentinels', () => {
  const start = async (isExact: boolean, accepted?: Answering) => {
    const sentinels = await startSentinels();
    const redis = { ...sentinels.first, url: sentinels.url };
    return { ...sentinels, ...(await startReplicas(rate, isExact, accepted, {}, redis)) };
  };

  it('answer all requests under load while the master is killed twice, and count all calls at the next one', async () => {
    const holders = createHolders(8);
    const started = await start(false);
    const { first, second, isMaster, hasReplica, untilRedisIs, replicas, upstream } = started;
    const load = startLoad(started, { holders, parallel: 5 });
    const working = () => load.untilMore(6 * holders.length);
    await working();
    for (const [master, next] of [
      [first, second],
      [second, first],
    ] as const) {
      await master.kill();
      await untilRedisIs('down');
      await isMaster(next);
      await untilRedisIs('up');
      await untilShared(next, rate);
      await working();
      // It comes back empty, as a master, until the sentinels make it a replica.
      await master.restart();
      await hasReplica(next);
      await working();
    }
    const sharedAt = performance.now();
    await working();
    await load.end();
    expect(load.faults()).toEqual([]);
    const most = (from: number) =>
      Math.max(
        ...[...upstream.counted.values()].map((times) =>
          mostWithin(
            rate.windowMs,
            times.filter((at) => at > from),
          ),
        ),
      );
    expect(most(-Infinity)).toBeLessThanOrEqual(mostWithSwitch);
    expect(most(sharedAt)).toBe(rate.calls);
    for (const { lines, output } of replicas) {
      const states = lines('Redis').map(({ redis }) => redis);
      expect(states).toEqual(['up', 'down', 'up', 'down', 'up']);
      for (const secret of started.secrets) {
        const shown = output.text.replaceAll('"host":"127.0.0.1"', '');
        expect(shown + output.errors).not.toContain(secret);
      }
    }
  });

  it('show a change of which the promoted replica knows nothing', async () => {
    let name = 'old';
    const started = await start(true, ({ method }) => {
      if (method === 'PATCH') name = 'new';
      return result({ id: organizationId, name });
    });
    const { first, second, isMaster, untilRedisIs, replicas, infoOf } = started;
    const ask = async (replica: number, query: string) => {
      const [one] = createHolders(1);
      const response = await fetch(`http://127.0.0.1:${replicas[replica]?.port}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'management-authorization': one ?? '' },
        body: JSON.stringify({ query }),
      });
      return response.json();
    };
    const nameAt = async (replica: number): Promise<string> =>
      (await ask(replica, `{ organization(organizationId: "${organizationId}") { name } }`)).data
        .organization.name;
    for (const replica of [0, 1, 2]) expect(await nameAt(replica)).toBe('old');
    // The replica has all of this, and nothing of what comes.
    const offsetOf = async (redis: typeof first): Promise<number> =>
      Number(/master_repl_offset:(\d+)/.exec(await infoOf(redis))?.[1]);
    const reached = await offsetOf(first);
    await expect.poll(() => offsetOf(second)).toBeGreaterThanOrEqual(reached);
    await second.hang();
    await first.command('CLIENT', 'KILL', 'TYPE', 'replica');
    const input = `{ organizationId: "${organizationId}", name: "new" }`;
    const change = `mutation { updateOrganization(input: ${input}) { userErrors { message } } }`;
    expect((await ask(0, change)).data.updateOrganization.userErrors).toEqual([]);
    await first.kill();
    second.resume();
    await isMaster(second);
    await untilRedisIs('up');
    expect(await nameAt(1)).toBe('new');
    // Until then no answer of before is trusted, since others may have something to tell.
    await pause(2500);
    expect(await nameAt(2)).toBe('new');
  });
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

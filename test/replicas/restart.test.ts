import '../support/client/built.ts';
import { createClient as graphqlSse } from 'graphql-sse';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createClient, TypedDocumentString } from '../../client/src/index.ts';
import { credentials, paced, type Stack, startStack } from '../support/harness.ts';
import { createLiveWorld, pipePath, pipeQuery, pipeSubscription } from '../support/live-world.ts';
import { until } from '../support/process/run-main.ts';
import { startTwoOverRedis } from '../support/redis/stacks.ts';
import { redisPath } from '../support/redis.ts';
import { type Subscription, subscribe } from '../support/subscribe.ts';

const tabs = 20;
/** The tabs of a page watch three different pipes. */
const queryOf = (tab: number): string => pipeSubscription(tab % 3);
const { 'management-authorization': management } = credentials;

/** Subscribes again and again with the client package, as it does by itself. */
const withOwnClient = (tab: number, fetchNow: typeof fetch, onState: (state: string) => void) => {
  const leave = new AbortController();
  const client = createClient({ url: 'http://gateway/graphql', fetch: fetchNow, management });
  const document = new TypedDocumentString<
    { readonly pipe: { readonly state: string } },
    Record<string, never>
  >(queryOf(tab));
  const run = async () => {
    const events = client.subscribe(document, {}, { signal: leave.signal });
    for await (const { data } of events) onState(data?.pipe.state ?? '');
  };
  return { leave: () => leave.abort(), done: run() };
};

/** The same with graphql-sse: to it, the end of a stream is the end of the subscription. */
const withGraphqlSse = (tab: number, fetchNow: typeof fetch, onState: (state: string) => void) => {
  let isOver = false;
  const client = graphqlSse({
    url: 'http://gateway/graphql',
    fetchFn: fetchNow,
    headers: { 'management-authorization': management },
  });
  const run = async () => {
    while (!isOver) {
      const events = client.iterate<{ readonly pipe: { readonly state: string } | null }>({
        query: queryOf(tab),
      });
      for await (const { data, errors } of events) {
        if (errors) throw new Error(JSON.stringify(errors));
        onState(data?.pipe?.state ?? '');
      }
    }
  };
  return {
    leave: () => {
      isOver = true;
      client.dispose();
    },
    done: run(),
  };
};

describe('a page of twenty tabs with one credential survives a restart', () => {
  it.each([
    ['the client package', withOwnClient],
    ['graphql-sse', withGraphqlSse],
  ])('with %s', async (_, open) => {
    const world = createLiveWorld();
    const start = async (): Promise<Stack> => {
      const stack = await startStack({ ...world, config: paced });
      onTestFinished(stack.close);
      return stack;
    };
    let stack = await start();
    const states = Array.from({ length: tabs }, () => '');
    const fetchNow: typeof fetch = (_url, init) => fetch(stack.url, init);
    const pages = states.map((_state, tab) =>
      open(tab, fetchNow, (state) => {
        states[tab] = state;
      }),
    );
    await until(() => states.every((state) => state === 'Running'));
    const before = stack;
    world.states.fill('Stopped');
    stack = await start();
    await before.gateway.close();
    await until(() => states.every((state) => state === 'Stopped'));
    expect(stack.gateway.streams().streams).toBe(tabs);
    for (const { leave } of pages) leave();
    await Promise.allSettled(pages.map(({ done }) => done));
  });
});

describe.skipIf(redisPath === undefined)('of two gateways over one Redis', () => {
  const openAt = (stack: Stack, pipe = 0): Promise<Subscription> =>
    subscribe(stack.url, pipeSubscription(pipe));

  it('one knows of a success at the other', async () => {
    const held = Promise.withResolvers<void>();
    let isHeld = false;
    const world = createLiveWorld();
    const { one, other } = await startTwoOverRedis({
      management: async (call) => {
        if (isHeld) await held.promise;
        return world.management(call);
      },
    });
    await one.query(pipeQuery);
    isHeld = true;
    const opened = await Promise.all(Array.from({ length: 6 }, () => openAt(other, 1)));
    expect(other.gateway.streams().streams).toBe(6);
    held.resolve();
    await Promise.all(opened.map((each) => each.event(1)));
    for (const each of opened) each.leave();
  });

  it('one takes what the other has read for a success', async () => {
    const { one, other, redis, calls } = await startTwoOverRedis();
    const first = await openAt(one);
    await first.event(1);
    const marks = (await redis.dump()).filter(({ name }) => name.includes('proven'));
    expect(marks).toHaveLength(1);
    const opened = await Promise.all(Array.from({ length: 8 }, () => openAt(other)));
    await Promise.all(opened.map((each) => each.event(1)));
    expect(calls().filter((call) => call === `GET ${pipePath()}`)).toHaveLength(1);
    for (const each of [first, ...opened]) each.leave();
  });

  it('none leaves a mark of a credential that was refused', async () => {
    const { one, world, redis } = await startTwoOverRedis();
    const marks = async () => (await redis.dump()).filter(({ name }) => name.includes('proven'));
    world.fail(`GET ${pipePath()}`, 401);
    const refused = await openAt(one);
    await refused.ended;
    expect(await marks()).toEqual([]);
    world.fail(`GET ${pipePath()}`, undefined);
    await one.query(pipeQuery);
    expect(await marks()).toHaveLength(1);
    world.fail(`GET ${pipePath()}`, 401);
    await one.query(pipeQuery, { headers: { 'cache-control': 'no-cache' } });
    await expect.poll(marks).toEqual([]);
  });
});

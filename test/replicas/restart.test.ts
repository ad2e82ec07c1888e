import '../support/client/built.ts';
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

it('a page of twenty tabs with one credential survives a restart', async () => {
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
    withOwnClient(tab, fetchNow, (state) => {
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
    const { one, other, calls } = await startTwoOverRedis();
    const first = await openAt(one);
    await first.event(1);
    const opened = await Promise.all(Array.from({ length: 8 }, () => openAt(other)));
    await Promise.all(opened.map((each) => each.event(1)));
    expect(calls().filter((call) => call === `GET ${pipePath()}`)).toHaveLength(1);
    for (const each of [first, ...opened]) each.leave();
  });

  it('none leaves a mark of a credential that was refused', async () => {
    const { one, world, keysOf } = await startTwoOverRedis();
    const marks = () => keysOf('proven');
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

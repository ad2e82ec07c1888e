import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { namePrefix } from '../../src/redis/connection.ts';
import { type Answer, data, json, result } from '../support/harness.ts';
import {
  organizationId,
  pipePath,
  pipeQuery,
  pipeSubscription,
  readsOf,
  serviceId,
  servicePath,
  stopPipe,
} from '../support/live-world.ts';
import { age } from '../support/redis/shared-logs.ts';
import { startTwoOverRedis } from '../support/redis/stacks.ts';
import { type Redis, redisPath, startRedis } from '../support/redis.ts';
import { subscribe } from '../support/subscribe.ts';

const read = `GET ${pipePath()}`;
const write = `PATCH ${pipePath()}/state`;
const alerts = '{ alerts { name } }';
/** Keys of a kind, with the milliseconds for which they stay. */
const keysOf = async (redis: Redis, kind: string) =>
  (await redis.dump()).filter(({ name }) => name.toString().startsWith(`${namePrefix}${kind}:`));
const explained = { headers: { 'sluice-explain': '1' } };

describe.skipIf(redisPath === undefined)('of two gateways over one Redis', () => {
  it('one answers with what the other has read, and says how old it is', async () => {
    const { one, other, calls } = await startTwoOverRedis({ config: { explain: true } });
    const first = await one.query(pipeQuery);
    const second = await other.query(pipeQuery, explained);
    expect(second.body.data).toEqual(first.body.data);
    expect(second.headers.get('age')).toBe('0');
    expect(second.body.extensions.upstream).toMatchObject([{ cache: 'fresh', ageSeconds: 0 }]);
    expect(calls()).toEqual([read]);
  });

  it('neither answers another credential with it, and both answer another spelling of its scheme', async () => {
    const { one, other, calls } = await startTwoOverRedis();
    await one.query(pipeQuery);
    for (const management of ['Basic b3RoZXI6c2VjcmV0', 'basic a2V5LWlkOmtleS1zZWNyZXQ=']) {
      await other.query(pipeQuery, { headers: { 'management-authorization': management } });
    }
    expect(calls()).toEqual([read, read]);
  });

  it('neither answers with it who wants it read anew', async () => {
    const { one, other, calls } = await startTwoOverRedis();
    await one.query(pipeQuery);
    await other.query(pipeQuery, { headers: { 'cache-control': 'no-cache' } });
    expect(calls()).toEqual([read, read]);
  });

  it.each([
    ['one credential', {}],
    ['another credential', { 'management-authorization': 'Basic b3RoZXI6c2VjcmV0' }],
  ])('neither answers with what was read before a mutation of %s', async (_, headers) => {
    const { one, other, calls } = await startTwoOverRedis();
    await one.query(pipeQuery);
    await other.query(pipeQuery);
    await one.query(stopPipe(), { headers });
    const after = await other.query(pipeQuery);
    expect(after.body.data.pipe.state).toBe('Stopping');
    expect(await one.query(pipeQuery)).toMatchObject({ body: after.body });
    expect(calls()).toEqual([read, read, write]);
  });

  it('none has a request join a read that was sent before a mutation through the other', async () => {
    const held: PromiseWithResolvers<Answer>[] = [];
    const stacks = await startTwoOverRedis({
      management: (call) => {
        if (call.method !== 'GET') return result({ state: 'Stopping' });
        const answer = Promise.withResolvers<Answer>();
        held.push(answer);
        return answer.promise;
      },
    });
    const { one, other } = stacks;
    const before = other.query(pipeQuery);
    await vi.waitUntil(() => held.length === 1);
    await one.query(stopPipe());
    const after = other.query(pipeQuery);
    await vi.waitUntil(() => held.length === 2);
    held[0]?.resolve(result({ id: 'p', name: 'pipe', state: 'Running' }));
    held[1]?.resolve(result({ id: 'p', name: 'pipe', state: 'Stopping' }));
    expect((await before).body.data.pipe.state).toBe('Running');
    expect((await after).body.data.pipe.state).toBe('Stopping');
    expect((await one.query(pipeQuery)).body.data.pipe.state).toBe('Stopping');
    expect(held).toHaveLength(2);
  });

  it('none has a request join a read that was sent before a mutation through the other, where nothing is kept', async () => {
    const held: PromiseWithResolvers<Answer>[] = [];
    const { one, other } = await startTwoOverRedis({
      config: { readCacheBytes: 0 },
      management: (call) => {
        if (call.method !== 'GET') return result({ state: 'Stopping' });
        const answer = Promise.withResolvers<Answer>();
        held.push(answer);
        return answer.promise;
      },
    });
    const before = other.query(pipeQuery);
    await vi.waitUntil(() => held.length === 1);
    await one.query(stopPipe());
    const after = other.query(pipeQuery);
    await vi.waitUntil(() => held.length === 2);
    held[0]?.resolve(result({ id: 'p', name: 'pipe', state: 'Running' }));
    held[1]?.resolve(result({ id: 'p', name: 'pipe', state: 'Stopping' }));
    expect((await before).body.data.pipe.state).toBe('Running');
    expect((await after).body.data.pipe.state).toBe('Stopping');
  });

  it('one waits for what the other is reading, and reads it itself where that fails', async () => {
    const held: PromiseWithResolvers<Answer>[] = [];
    const { one, other } = await startTwoOverRedis({
      observability: () => {
        const answer = Promise.withResolvers<Answer>();
        held.push(answer);
        return answer.promise;
      },
    });
    const first = one.query(alerts);
    await vi.waitUntil(() => held.length === 1);
    const second = other.query(alerts);
    held[0]?.resolve(json({ message: 'no' }, 500));
    expect((await first).body.errors).toHaveLength(1);
    await vi.waitUntil(() => held.length === 2);
    const third = one.query(alerts);
    held[1]?.resolve(data([{ id: 'a', name: 'lag' }]));
    const found = { alerts: [{ name: 'lag' }] };
    expect([(await second).body.data, (await third).body.data]).toEqual([found, found]);
    expect(held).toHaveLength(2);
  });

  it('both forget all of a credential that one of them sees refused', async () => {
    const { one, other, world, calls } = await startTwoOverRedis();
    await one.query(pipeQuery);
    world.fail(`GET ${servicePath}`, 401);
    const ids = `organizationId: "${organizationId}", serviceId: "${serviceId}"`;
    await one.query(`{ service(${ids}) { name } }`);
    await other.query(pipeQuery);
    expect(calls()).toEqual([`GET ${servicePath}`, read, read]);
  });

  it('the marks of a mutation outlast all that was read before, by the longest call', async () => {
    const { redis, one } = await startTwoOverRedis();
    await one.query(pipeQuery);
    const [answer] = await keysOf(redis, 'read');
    await one.query(stopPipe());
    const marks = [
      ...(await keysOf(redis, 'changed')),
      ...(await keysOf(redis, 'changed-for-all')),
    ];
    expect(answer?.expiresIn).toBeGreaterThan(540_000);
    expect(marks).not.toEqual([]);
    for (const { expiresIn } of marks) {
      expect(expiresIn).toBeGreaterThan((answer?.expiresIn ?? Infinity) + 210_000);
    }
  });

  it('each keeps to itself what is larger than a megabyte', async () => {
    const name = 'x'.repeat(1024 * 1024);
    const { one, other, calls } = await startTwoOverRedis({
      management: () => result({ id: 'p', name, state: 'Running' }),
    });
    for (const stack of [one, one, other, other]) await stack.query(pipeQuery);
    expect(calls()).toEqual([read, read]);
  });

  it('one that waits for its turn takes what the other has read meanwhile, and gives its slot back', async () => {
    const redis = await startRedis();
    await age(redis);
    const { one, other, calls } = await startTwoOverRedis({
      config: { observabilityRate: { calls: 1, windowMs: 2500 }, explain: true },
      observability: () => data([{ id: 'a', name: 'lag' }]),
      redis,
    });
    await one.query('{ dashboards { name } }');
    calls();
    const asked = await Promise.all([one, other].map((stack) => stack.query(alerts, explained)));
    const found = { alerts: [{ name: 'lag' }] };
    expect(asked.map(({ body }) => body.data)).toEqual([found, found]);
    expect(calls()).toEqual(['GET /api/v2/alerts']);
    const caches = asked.map(({ body }) => body.extensions.upstream.at(-1).cache);
    expect(caches.sort()).toEqual(['fresh', 'miss']);
    // Both slots are accounted for: the one that was used, and the one that was given back.
    await one.query('{ dashboards { name } }', { headers: { 'cache-control': 'no-cache' } });
    expect(calls()).toEqual(['GET /api/v2/dashboards']);
  });

  it.each([
    ['what both have waited for', {}, 300],
    ['what both read in the background, however long that takes,', { pacingWaitMs: 0 }, 2500],
  ])('one alone sends %s when both have their turn', async (_, config, milliseconds) => {
    const redis = await startRedis();
    await age(redis);
    const { one, other, calls } = await startTwoOverRedis({
      redis,
      config: { observabilityRate: { calls: 2, windowMs: 2000 }, ...config },
      observability: async ({ path }) => {
        if (path.endsWith('/alerts')) await pause(milliseconds);
        return data([{ id: 'a', name: 'lag' }]);
      },
    });
    await Promise.all([
      one.query('{ dashboards { name } }'),
      other.query('{ dashboard(id: "d") { name } }'),
    ]);
    calls();
    const stacks = [one, other];
    await Promise.all(stacks.map((stack) => stack.query(alerts)));
    // Both have had their turn by then, and again a window later.
    await pause(milliseconds + 2500);
    const asked = await Promise.all(stacks.map((stack) => stack.query(alerts)));
    const found = { alerts: [{ name: 'lag' }] };
    expect(asked.map(({ body }) => body.data)).toEqual([found, found]);
    expect(calls()).toEqual(['GET /api/v2/alerts']);
  });

  it('both show a change to their subscribers for one poll, and the first event is read like any other', async () => {
    const { one, other, world } = await startTwoOverRedis({
      gateway: { pollMs: { management: 1000, observability: 1000 } },
    });
    const streams = [
      await subscribe(one.url, pipeSubscription()),
      await subscribe(other.url, pipeSubscription()),
    ];
    for (const stream of streams) await stream.event(1);
    const reads = () => readsOf([...one.calls, ...other.calls], pipePath());
    expect(reads()).toBe(1);
    world.states[0] = 'Stopped';
    for (const stream of streams) {
      expect((await stream.event(2)).data.pipe.state).toBe('Stopped');
      stream.leave();
    }
    expect(reads()).toBe(2);
    await one.query(stopPipe());
    const late = await subscribe(other.url, pipeSubscription());
    expect((await late.event(1)).data.pipe.state).toBe('Stopping');
    late.leave();
  });
});

import { setTimeout as pause } from 'node:timers/promises';
import { type Command, Redis } from 'ioredis';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createGate } from '../support/faults/gate.ts';
import { data, json, result, type Stack } from '../support/harness.ts';
import {
  ofService,
  organizationId,
  pipeIds,
  pipePath,
  pipeQuery,
  pipeSubscription,
  serviceId,
  servicePath,
  stopPipe,
} from '../support/live-world.ts';
import { holdTime } from '../support/pacing/time.ts';
import { startTwoOverRedis, tenant } from '../support/redis/stacks.ts';
import { redisPath } from '../support/redis.ts';
import { subscribe } from '../support/subscribe.ts';
import { numbers } from '../support/world/worlds.ts';

const read = `GET ${pipePath()}`;
const write = `PATCH ${pipePath()}/state`;
const alerts = '{ alerts { name } }';
const stateAt = async ({ query }: Stack, headers = {}): Promise<string> =>
  (await query(pipeQuery, { headers })).body.data.pipe.state;
const anew = { 'cache-control': 'no-cache' };
/** Whether a command to Redis is a script that a request needs. Beats have one key: the era. */
const isOfRequest = ({ name, args }: Command): boolean => /^eval/.test(name) && args[1] !== 1;
/** Whether a command to Redis is a script about an answer. */
const isOfAnswer = ({ name, args }: Command): boolean =>
  /^eval/.test(name) && args.some((each) => String(each).startsWith('{sluice}:read:'));
/** Carries out the commands to Redis of these gateways in another way, until the test ends. */
const sendBy = (by: (command: Command, send: () => Promise<unknown>) => Promise<unknown>): void => {
  const { sendCommand } = Redis.prototype;
  const spy = vi.spyOn(Redis.prototype, 'sendCommand');
  onTestFinished(() => spy.mockRestore());
  spy.mockImplementation(function (this: Redis, ...sent) {
    return by(sent[0], async () => Reflect.apply(sendCommand, this, sent));
  });
};
const board = (name: string) => data([{ id: 'a', name }]);
const shown = (name: string) => ({ alerts: [{ name }] });
const ok = shown('lag');

describe.skipIf(redisPath === undefined)('of two gateways over one Redis', () => {
  /** Both have read a pipe, with one call. */
  const startRead = async (redisTimeoutMs = 1000) => {
    const stacks = await startTwoOverRedis({ config: { redisTimeoutMs } });
    for (const stack of [stacks.one, stacks.other]) await stack.query(pipeQuery);
    expect(stacks.calls()).toEqual([read]);
    return stacks;
  };

  it('one answers with what the other has read, and says how old it is', async () => {
    const { one, other, calls } = await startTwoOverRedis({ config: { explain: true } });
    const first = await one.query(pipeQuery);
    const second = await other.query(pipeQuery, { headers: { 'sluice-explain': '1' } });
    expect(second.body.data).toEqual(first.body.data);
    expect(second.headers.get('age')).toBe('0');
    expect(second.body.extensions.upstream).toMatchObject([{ cache: 'fresh', ageSeconds: 0 }]);
    expect(calls()).toEqual([read]);
  });

  it.each([
    ['another credential', tenant('other'), 1],
    ['who wants it anew', anew, 1],
    [
      'a credential whose scheme is spelt in another way',
      { 'management-authorization': 'basic a2V5LWlkOmtleS1zZWNyZXQ=' },
      0,
    ],
  ])('and for %s it is read as often as it has to be', async (_, headers, again) => {
    const { other, calls } = await startRead();
    await other.query(pipeQuery, { headers });
    expect(calls()).toHaveLength(again);
  });

  it('neither answers with what was read before a mutation of another credential', async () => {
    const { one, other, calls } = await startRead();
    await one.query(stopPipe(), { headers: tenant('other') });
    expect([await stateAt(other), await stateAt(one)]).toEqual(['Stopping', 'Stopping']);
    expect(calls()).toEqual([read, write]);
  });

  it('both share each page of a list, and forget all of them at a mutation through one of them', async () => {
    const rows = numbers(1001).map((number) => ({ id: `a${number}`, name: 'lag' }));
    const { one, other, calls } = await startTwoOverRedis({
      config: { observabilityProfile: 'hyperdx' },
      observability: ({ path }) => {
        const offset = Number(/offset=(\d+)/.exec(path)?.[1] ?? 0);
        return json({ data: rows.slice(offset, offset + 1000), meta: { total: 1001, offset } });
      },
    });
    const pages = ['GET /api/v2/alerts', 'GET /api/v2/alerts?limit=1000&offset=999'];
    const askBoth = async () => {
      const asked = [await one.query(alerts), await other.query(alerts)];
      for (const { body } of asked) expect(body.data.alerts).toHaveLength(1001);
      return calls();
    };
    expect(await askBoth()).toEqual(pages);
    await one.query('mutation { deleteAlert(input: { alertId: "a1" }) { deletedAlertId } }');
    expect(calls()).toEqual(['DELETE /api/v2/alerts/a1']);
    expect(await askBoth()).toEqual(pages);
  });

  it('one waits for what the other is reading, and reads it itself where that fails', async () => {
    const gate = createGate();
    const { one, other } = await startTwoOverRedis({ observability: gate.answering });
    const first = one.query(alerts);
    const failing = await gate.arrived(1);
    const second = other.query(alerts);
    failing.answer(json({ message: 'no' }, 500));
    expect((await first).body.errors).toHaveLength(1);
    const answered = await gate.arrived(2);
    const third = one.query(alerts);
    answered.answer(board('lag'));
    expect([(await second).body.data, (await third).body.data]).toEqual([ok, ok]);
    expect(gate.calls).toHaveLength(2);
  });

  it('one reads for itself what the other has been reading for long', async () => {
    const gate = createGate();
    const { one, other } = await startTwoOverRedis({ observability: gate.answering });
    const first = one.query(alerts);
    const hanging = await gate.arrived(1);
    const second = other.query(alerts);
    (await gate.arrived(2)).answer(board('lag'));
    expect((await second).body.data).toEqual(shown('lag'));
    hanging.answer(board('late'));
    expect((await first).body.data).toEqual(shown('late'));
  });

  it('one shows what is old at once while the other reads it anew, and later what that has read', async () => {
    const gate = createGate();
    const { one, other } = await startTwoOverRedis({ observability: gate.answering });
    const first = one.query(alerts);
    (await gate.arrived(1)).answer(board('old'));
    await first;
    await other.query(alerts);
    // It is fresh for three seconds.
    await pause(3100);
    const [renewing, waiting] = [one.query(alerts), gate.arrived(2)];
    await waiting;
    const answers = await Promise.all([renewing, other.query(alerts)]);
    expect(answers.map(({ body }) => body.data)).toEqual([shown('old'), shown('old')]);
    expect(gate.calls).toHaveLength(2);
    (await waiting).answer(board('new'));
    for (const { query } of [one, other]) {
      await expect.poll(async () => (await query(alerts)).body.data).toEqual(shown('new'));
    }
    expect(gate.calls).toHaveLength(2);
  });

  it('one shares what it has asked a slow Redis for while another of its requests read a list instead', async () => {
    const { redis, one, other, calls } = await startTwoOverRedis();
    await redis.command('CLIENT', 'PAUSE', '300');
    const asked = [one.query(pipeQuery)];
    await pause(100);
    const ids = pipeIds
      .slice(0, 2)
      .map((id, index) => `p${index}: pipe(${ofService}, pipeId: "${id}") { name }`);
    asked.push(one.query(`{ ${ids.join(' ')} }`));
    await Promise.all(asked);
    calls();
    await other.query(pipeQuery);
    expect(calls()).toEqual([]);
  });

  it('both forget all of a credential that one of them sees refused', async () => {
    const { one, other, world, calls } = await startRead();
    world.fail(`GET ${servicePath}`, 401);
    const ids = `organizationId: "${organizationId}", serviceId: "${serviceId}"`;
    await one.query(`{ service(${ids}) { name } }`);
    await other.query(pipeQuery);
    expect(calls()).toEqual([`GET ${servicePath}`, read]);
  });

  it('the marks of a mutation outlast all that was read before, by the longest call', async () => {
    const { one, keysOf } = await startRead();
    const [answer] = await keysOf('read');
    await one.query(stopPipe());
    const marks = [...(await keysOf('changed')), ...(await keysOf('changed-for-all'))];
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
    const { one, other, calls } = await startTwoOverRedis({
      config: { observabilityRate: { calls: 1, windowMs: 2500 }, explain: true },
      observability: () => board('lag'),
    });
    await one.query('{ dashboards { name } }');
    calls();
    const headers = { 'sluice-explain': '1' };
    const asked = await Promise.all([one, other].map(({ query }) => query(alerts, { headers })));
    expect(asked.map(({ body }) => body.data)).toEqual([ok, ok]);
    const caches = asked.map(({ body }) => body.extensions.upstream.at(-1).cache);
    expect([calls(), caches.sort()]).toEqual([['GET /api/v2/alerts'], ['fresh', 'miss']]);
    // Both slots are accounted for: the one that was used, and the one that was given back.
    await one.query('{ dashboards { name } }', { headers: anew });
    expect(calls()).toEqual(['GET /api/v2/dashboards']);
  });

  it('one alone sends what both read in the background, however long that takes, when both have their turn', async () => {
    const gate = createGate();
    const { one, other, calls } = await startTwoOverRedis({
      config: { observabilityRate: { calls: 2, windowMs: 2000 }, pacingWaitMs: 0 },
      observability: (call) => (call.path.endsWith('/alerts') ? gate.answering(call) : data([])),
    });
    const used = [
      one.query('{ dashboards { name } }'),
      other.query('{ dashboard(dashboardId: "d") { name } }'),
    ];
    await Promise.all(used);
    calls();
    await Promise.all([one, other].map(({ query }) => query(alerts)));
    const { answer } = await gate.arrived(1);
    // A window later both could send it again, as other calls are sent.
    await expect
      .poll(async () => (await other.query('{ dashboards { name } }')).body.errors)
      .toBeUndefined();
    answer(board('lag'));
    for (const { query } of [one, other]) {
      await expect.poll(async () => (await query(alerts)).body.data).toEqual(ok);
    }
    expect(gate.calls).toHaveLength(1);
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
    const isRead = (call: string) => call === `GET ${pipePath()}`;
    const reads = () => [one, other].flatMap((each) => each.callList().filter(isRead)).length;
    expect(reads()).toBe(1);
    world.states[0] = 'Stopped';
    for (const stream of streams) {
      expect((await stream.event(2)).data.pipe.state).toBe('Stopped');
      stream.leave();
    }
    expect(reads()).toBe(2);
  });

  it('neither uses what was read before Redis was flushed', async () => {
    const { redis, one, other, world } = await startRead();
    world.states[0] = 'Stopped';
    await redis.flush();
    expect([await stateAt(one), await stateAt(other)]).toEqual(['Stopped', 'Stopped']);
  });

  it('neither uses what was read before Redis was flushed, and flushed again while one asks', async () => {
    const { redis, one, other, world } = await startRead();
    world.states[0] = 'Stopped';
    let flushes = 0;
    sendBy(async (command, send) => {
      if (flushes < 2 && isOfAnswer(command)) {
        flushes += 1;
        await redis.flush();
      }
      return send();
    });
    expect([await stateAt(one), flushes]).toEqual(['Stopped', 2]);
    expect(await stateAt(other)).toBe('Stopped');
  });

  it('neither answers with what was before a mutation through the other, though one look takes too long', async () => {
    const { one, other, calls } = await startRead(300);
    await one.query(stopPipe());
    let hanging = 0;
    sendBy((command, send) => {
      if (hanging > 0 || !isOfRequest(command)) return send();
      hanging += 1;
      return new Promise(() => undefined);
    });
    expect([await stateAt(other), hanging]).toEqual(['Stopping', 1]);
    expect(calls()).toEqual([read, write]);
  });

  it.each(['kill', 'hang'] as const)(
    'each answers with what it has read itself while Redis is gone (%s), and never with what was before a mutation that it knows of',
    async (end) => {
      const { redis, one, other, calls, untilRedisIs } = await startRead(100);
      await redis[end]();
      expect(await stateAt(one)).toBe('Running');
      await untilRedisIs('down');
      expect(await stateAt(other)).toBe('Running');
      expect(calls()).toEqual([]);
      await one.query(stopPipe());
      expect(await stateAt(one)).toBe('Stopping');
      expect(calls()).toEqual([read, write]);
      if (end === 'kill') await redis.restart();
      else redis.resume();
      await untilRedisIs('up');
      // The other learns of it before it answers again.
      expect(await stateAt(other)).toBe('Stopping');
      // And what is read from now on is shared.
      calls();
      await one.query(pipeQuery, { headers: anew });
      await other.query(pipeQuery);
      expect(calls()).toEqual([read]);
    },
  );

  it('neither shows anything older than three seconds, or stale, while Redis is gone', async () => {
    const { redis, one, calls, untilRedisIs } = await startTwoOverRedis({
      observability: () => data([{ id: 'd', name: 'board' }]),
    });
    await redis.kill();
    await untilRedisIs('down');
    calls();
    const time = holdTime();
    onTestFinished(time.release);
    const counts: number[] = [];
    // It would be fresh for five seconds.
    for (const seconds of [0, 2.5, 1, 20]) {
      time.pass(seconds);
      await one.query('{ dashboards { name } }');
      counts.push(calls().length);
    }
    expect(counts).toEqual([1, 0, 1, 1]);
  });

  it.each(['query', 'mutation'] as const)(
    'while Redis hangs the first request (a %s) waits for one command at most, those after it for none, and all are answered',
    async (first) => {
      const sent = vi.spyOn(Redis.prototype, 'sendCommand');
      onTestFinished(() => sent.mockRestore());
      const { redis, one, calls, untilRedisIs } = await startTwoOverRedis({
        config: { managementRate: { calls: 40, windowMs: 1000 }, redisTimeoutMs: 300 },
      });
      const requests = { query: [pipeQuery, { headers: anew }], mutation: [stopPipe()] } as const;
      /** How many commands are sent for requests. Beats belong to none. */
      const commandsOf = async (...names: readonly (keyof typeof requests)[]): Promise<number> => {
        sent.mockClear();
        for (const name of names) {
          const [document, options] = requests[name];
          expect((await one.query(document, options)).body.errors).toBeUndefined();
        }
        return sent.mock.calls.filter(([command]) => isOfRequest(command)).length;
      };
      await untilRedisIs('up');
      // What they wait for while Redis answers: the slot and the memory that replicas share.
      expect(await commandsOf('query')).toBeGreaterThanOrEqual(2);
      expect(await commandsOf('mutation')).toBeGreaterThanOrEqual(2);
      calls();
      await redis.hang();
      expect(await commandsOf(first)).toBeLessThanOrEqual(1);
      await untilRedisIs('down');
      expect(await commandsOf('query', 'mutation', 'query', 'mutation')).toBe(0);
      expect(calls()).toHaveLength(5);
    },
  );
});

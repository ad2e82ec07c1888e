import { describe, expect, it } from 'vitest';
import type { GatewayPlugin } from '../../src/plugins/plugin.ts';
import { json, result } from '../support/harness.ts';
import {
  ofService,
  openLive,
  organizationId,
  pass,
  pipeIds,
  pipePath,
  pipeQuery,
  pipeSubscription,
  readsOf,
  servicePath,
  soon,
  stopPipe,
  unpolled,
} from '../support/live-world.ts';
import { stopTime } from '../support/pacing/time.ts';
import { until } from '../support/process/run-main.ts';

const withState = (state: string) => ({ data: { pipe: { name: 'pipe 0', state } } });
const keyOf = (key: string) => ({ 'management-authorization': `Basic ${btoa(key)}` });
const fresh = { 'cache-control': 'no-cache' };
const thing = ({ path }: { readonly path: string }, name: string) =>
  result({ id: path.split('/').at(-1), name, state: 'Running' });

describe('a subscription', () => {
  it('sends the first event at once, and a further one for what was changed outside and selected, with the next poll', async () => {
    const clock = stopTime();
    const { open, world, calls } = await openLive();
    const [pipe, name] = [await open(), await open(pipeSubscription().replace(' state', ''))];
    await clock.until(Promise.all([pipe.event(1), name.event(1)]));
    world.states[0] = 'Failed';
    await pass(clock, 4000);
    expect(pipe.events).toEqual([withState('Running')]);
    await pass(clock, 2000);
    expect(pipe.events).toEqual([withState('Running'), withState('Failed')]);
    await pass(clock, 14_000);
    expect([pipe.events.length, name.events.length]).toEqual([2, 1]);
    expect(readsOf(calls, pipePath())).toBeGreaterThanOrEqual(4);
  });

  it('executes no event where the envelope of an answer alone differs', async () => {
    const clock = stopTime();
    const backup = `${servicePath}/backupConfiguration`;
    const { open, calls } = await openLive({
      management: ({ path }) => {
        if (path === backup) return json({ status: 500, error: 'down' }, 500);
        return result(path.endsWith('/pipes') ? [{ id: pipeIds[0], name: 'pipe' }] : { id: 'x' });
      },
    });
    const document = `{ service(${ofService}) { pipes { name } backupConfiguration { backupPeriodInHours } } }`;
    const stream = await open(`subscription ${document}`);
    await clock.until(stream.event(1));
    await pass(clock, 60_000);
    expect(readsOf(calls, `${servicePath}/pipes`)).toBeGreaterThan(4);
    // Each event would read it again: these are the first one and the polls, which back off.
    expect(readsOf(calls, backup)).toBeLessThanOrEqual(5);
  });

  it('takes what other requests have read, and is not polled for it then', async () => {
    const clock = stopTime();
    const { open, world, query, calls } = await openLive();
    const pipe = await open();
    await clock.until(pipe.event(1));
    await pass(clock, 4000);
    world.states[0] = 'Failed';
    await clock.until(query(pipeQuery));
    expect(await clock.until(pipe.event(2))).toEqual(withState('Failed'));
    await pass(clock, 4000);
    expect(calls).toHaveLength(2);
  });

  it('begins with a new read for those who ask for one, which is news to others', async () => {
    const { open, world, calls } = await openLive();
    const one = await open();
    await one.event(1);
    world.states[0] = 'Failed';
    const two = await open(pipeSubscription(), fresh);
    expect([await two.event(1), await one.event(2)]).toEqual([
      withState('Failed'),
      withState('Failed'),
    ]);
    expect(readsOf(calls, pipePath())).toBe(2);
  });

  it.each([200, 404, 500])(
    'is not polled before its first event has got its %i',
    async (status) => {
      const clock = stopTime();
      const answered = Promise.withResolvers<void>();
      const { open, calls } = await openLive({
        management: async (call) => {
          await answered.promise;
          return status === 200 ? thing(call, 'pipe') : json({ status, error: 'no' }, status);
        },
      });
      const pipe = await open();
      await clock.still(() => calls.length === 1);
      await pass(clock, 20_000);
      answered.resolve();
      await clock.until(pipe.event(1));
      expect(calls).toHaveLength(1);
    },
  );

  it('costs two hundred subscribers the calls of one', async () => {
    const callsOf = async (subscribers: number): Promise<number> => {
      const clock = stopTime();
      const { open, world, gateway, calls, close } = await openLive();
      const pipes = await Promise.all(Array.from({ length: subscribers }, () => open()));
      await clock.until(Promise.all(pipes.map((pipe) => pipe.event(1))));
      await pass(clock, 12_000);
      world.states[0] = 'Failed';
      const last = await clock.until(Promise.all(pipes.map((pipe) => pipe.event(2))));
      expect(last).toEqual(pipes.map(() => withState('Failed')));
      expect(gateway.streams()).toEqual({ streams: subscribers, reads: 1, credentials: 1 });
      for (const pipe of pipes) pipe.leave();
      await close();
      return calls.length;
    };
    expect(await callsOf(200)).toBe(await callsOf(1));
  });

  it('reads one list for several pipes of a service', async () => {
    const clock = stopTime();
    const { open, world, gateway } = await openLive();
    const pipes = [];
    for (const index of [0, 1, 2]) {
      const pipe = await open(pipeSubscription(index));
      await clock.until(pipe.event(1));
      pipes.push(pipe);
    }
    expect(gateway.streams()).toEqual({ streams: 3, reads: 2, credentials: 1 });
    world.states.fill('Failed');
    await clock.until(Promise.all(pipes.map((pipe) => pipe.event(2))));
    expect(gateway.streams().reads).toBeLessThanOrEqual(2);
  });

  it('gives no further polls to who leaves and subscribes again', async () => {
    const clock = stopTime();
    const { open, query, gateway, calls } = await openLive({
      gateway: { pollMs: { management: 500, observability: 500 } },
      config: { managementRate: { calls: 20, windowMs: 30_000 } },
    });
    for (let turn = 0; turn < 3; turn += 1) {
      const pipe = await open();
      await clock.until(pipe.event(1));
      await clock.until(query(stopPipe()));
      await pass(clock, 3000);
      pipe.leave();
      await clock.still(() => gateway.streams().streams === 0);
    }
    // Those of the first events, and 30 % of the calls of a window.
    expect(readsOf(calls, pipePath())).toBeLessThanOrEqual(3 + 6);
    await pass(clock, 31_000);
    const before = readsOf(calls, pipePath());
    const pipe = await open();
    await clock.until(pipe.event(1));
    await pass(clock, 31_000);
    expect(readsOf(calls, pipePath()) - before).toBeGreaterThanOrEqual(1 + 5);
  });

  it('lets go of everything once the last subscriber has left', async () => {
    const clock = stopTime();
    const { open, gateway, calls } = await openLive();
    const [one, two] = [await open(), await open()];
    await clock.until(Promise.all([one.event(1), two.event(1)]));
    one.leave();
    await clock.still(() => gateway.streams().streams === 1);
    expect(gateway.streams()).toEqual({ streams: 1, reads: 1, credentials: 1 });
    two.leave();
    await clock.still(() => gateway.streams().streams === 0);
    expect(gateway.streams()).toEqual({ streams: 0, reads: 0, credentials: 0 });
    await pass(clock, 20_000);
    expect(calls).toHaveLength(1);
  });

  it('lets go of what its newest event does not use', async () => {
    const clock = stopTime();
    const { open, world, gateway } = await openLive();
    const alerts = await open('subscription { alerts { name dashboard { name } } }');
    await clock.until(alerts.event(1));
    expect(gateway.streams().reads).toBe(2);
    world.alerts.splice(0, 1);
    expect(await clock.until(alerts.event(2))).toEqual({ data: { alerts: [] } });
    expect(gateway.streams().reads).toBe(1);
  });
});

describe('without a wait for the next poll a subscription shows a write of the gateway', () => {
  it.each<[string, status: number | undefined, shown: readonly number[]]>([
    ['to every credential', undefined, [0, 1]],
    ['that was refused, to the credential of the write', 409, [0]],
    ['of which nobody knows what became, to the credential of the write', 500, [0]],
    ['that its credential may not make, to nobody', 403, []],
    ['that the limit has refused, to nobody', 429, []],
  ])('%s', async (_, status, shown) => {
    const { open, world, query, calls } = await openLive(unpolled);
    const streams = [await open(), await open(pipeSubscription(), keyOf('other:key'))];
    await Promise.all(streams.map((stream) => stream.event(1)));
    world.fail(`PATCH ${pipePath()}/state`, status);
    world.states[0] = 'Stopping';
    await query(stopPipe());
    for (const index of shown)
      expect(await streams[index]?.event(2)).toEqual(withState('Stopping'));
    for (let turn = 0; turn < 20; turn += 1) await query('{ __typename }');
    expect(streams.map(({ events }) => events.length)).toEqual(
      [0, 1].map((each) => (shown.includes(each) ? 2 : 1)),
    );
    expect(readsOf(calls, pipePath())).toBe(2 + shown.length);
  });
});

describe('where reads are not kept,', () => {
  it('a subscription works, ordinary requests see nothing of its reads, and nor do first events', async () => {
    const clock = stopTime();
    const { open, world, query, calls } = await openLive({ config: { readCacheBytes: 0 } });
    const pipe = await open();
    await clock.until(pipe.event(1));
    for (const _ of [1, 2]) await clock.until(query(pipeQuery));
    expect(calls).toHaveLength(3);
    world.states[0] = 'Failed';
    const late = await open();
    expect(await clock.until(late.event(1))).toEqual(withState('Failed'));
    expect(await clock.until(pipe.event(2))).toEqual(withState('Failed'));
    expect(calls).toHaveLength(5);
  });

  it('since they are too large, an event reads what a poll has found changed', async () => {
    const clock = stopTime();
    const filler = 'x'.repeat(20_000);
    let version = 1;
    const { open, calls } = await openLive({
      config: { readCacheBytes: 64 * 1024 },
      management: (call) => thing(call, `${version} ${filler}`),
    });
    const pipe = await open();
    await clock.until(pipe.event(1));
    await pass(clock, 5100);
    expect(readsOf(calls, pipePath())).toBe(2);
    version = 2;
    expect((await clock.until(pipe.event(2))).data.pipe.name).toBe(`2 ${filler}`);
    // The poll, and the event.
    expect(readsOf(calls, pipePath())).toBe(4);
  });

  it('since they are too large, subscribers do not wake one another for ever', async () => {
    const { open, query, calls } = await openLive({
      ...unpolled,
      config: { readCacheBytes: 64 * 1024, managementRate: undefined },
      management: (call) => thing(call, `${calls.length} ${'x'.repeat(20_000)}`),
    });
    const [one, two] = [await open(), await open()];
    await Promise.all([one.event(1), two.event(1)]);
    for (let turn = 0; turn < 50; turn += 1) await query('{ __typename }');
    expect([one.events.length, two.events.length]).toEqual([1, 1]);
    expect(calls.length).toBeLessThanOrEqual(2);
  });
});

describe('subscribers with different credentials', () => {
  it('never share what is read or polled, and a poll has no trace of its subscriber', async () => {
    let round = 0;
    const { open, gateway, calls } = await openLive({
      ...soon,
      management: (call) => thing(call, `${call.headers.authorization} ${round}`),
    });
    const ofRequest = {
      'x-request-id': 'of-the-subscriber',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      tracestate: 'vendor=value',
    };
    const keys = ['a:1', 'a:2', 'b:1'].map(keyOf);
    const streams = await Promise.all(
      keys.map((key) => open(pipeSubscription(), { ...key, ...ofRequest })),
    );
    await Promise.all(streams.map((stream) => stream.event(1)));
    round = 1;
    await Promise.all(streams.map((stream) => stream.event(2)));
    expect(gateway.streams()).toEqual({ streams: 3, reads: 3, credentials: 3 });
    expect(streams.map(({ events }) => events.map(({ data }) => data.pipe.name))).toEqual(
      keys.map((key) => [0, 1].map((each) => `${key['management-authorization']} ${each}`)),
    );
    const sent = Map.groupBy(
      calls,
      ({ headers }) => headers['x-request-id'] === 'of-the-subscriber',
    );
    const polls = sent.get(false) ?? [];
    expect(sent.get(true)).toMatchObject(Array(3).fill({ headers: ofRequest }));
    for (const { headers } of polls)
      expect([headers.traceparent, headers.tracestate]).toEqual([undefined, undefined]);
    expect(new Set(polls.map(({ headers }) => headers['x-request-id'])).size).toBe(polls.length);
  });

  it('get their error each, and the others stay', async () => {
    const revoked = keyOf('revoked:key')['management-authorization'];
    let isRevoked = false;
    const { open, gateway, log } = await openLive({
      ...soon,
      management: (call) =>
        isRevoked && call.headers.authorization === revoked
          ? json({ status: 401, error: `${revoked} is revoked` }, 401)
          : thing(call, 'pipe'),
    });
    const one = await open(pipeSubscription(), { 'management-authorization': revoked });
    const two = await open();
    await Promise.all([one.event(1), two.event(1)]);
    isRevoked = true;
    await one.ended;
    const [{ message, extensions }] = one.events[1].errors;
    expect(extensions.code).toBe('UNAUTHENTICATED');
    expect(message + log()).not.toContain(revoked.slice('Basic '.length));
    expect(gateway.streams()).toEqual({ streams: 1, reads: 1, credentials: 1 });
  });

  it('are shown nothing more once another call has found their credential revoked', async () => {
    let isRevoked = false;
    const { open, query } = await openLive({
      ...unpolled,
      management: (call) =>
        isRevoked ? json({ status: 401, error: 'revoked' }, 401) : thing(call, 'thing'),
    });
    const watching = await open();
    await watching.event(1);
    isRevoked = true;
    await query(`{ organization(id: "${organizationId}") { name } }`);
    const late = await open();
    await Promise.all([watching.ended, late.ended]);
    expect(late.events).toHaveLength(1);
    for (const { events } of [watching, late]) {
      expect(events.at(-1).errors[0].extensions.code).toBe('UNAUTHENTICATED');
    }
  });
});

it('an event that fails by a fault of the gateway says no more than that, and leaves a line in the log', async () => {
  // Nothing can be executed with that.
  const broken: GatewayPlugin = {
    onSubscribe: ({ args }) => void Object.assign(args, { schema: { secret: 'canary' } }),
  };
  const { open, log, gateway } = await openLive({ gateway: { plugins: [broken] } });
  const pipe = await open();
  await pipe.ended;
  expect(pipe.events).toMatchObject([
    { errors: [{ message: 'Unexpected error.', extensions: { code: 'INTERNAL_SERVER_ERROR' } }] },
  ]);
  expect(JSON.stringify(pipe.events)).not.toContain('canary');
  expect(log()).toContain('"msg":"unexpected error"');
  await until(() => gateway.streams().streams === 0);
});

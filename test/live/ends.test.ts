import { describe, expect, it } from 'vitest';
import { createGate } from '../support/faults/gate.ts';
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
  pipesSubscription,
  readsOf,
  serviceId,
  servicePath,
  soon,
  stopPipe,
} from '../support/live-world.ts';
import { pipesPath, startFleet } from '../support/pacing/fleet.ts';
import { stopTime } from '../support/pacing/time.ts';
import { until } from '../support/process/run-main.ts';
import { subscribe } from '../support/subscribe.ts';
import { withIds } from '../support/world/ids.ts';
import { pipeOf } from '../support/world/worlds.ts';

const noStreams = { streams: 0, reads: 0, credentials: 0 };
const servicesPath = `/v1/organizations/${organizationId}/services`;
const backupPath = `${servicePath}/backupConfiguration`;
const pipes = `subscription { pipes(${ofService}) { state service { name } } }`;
const codesOf = ({ errors = [] }: { errors?: readonly { extensions: { code: string } }[] }) =>
  errors.map(({ extensions }) => extensions.code);

/** An organization with one service and one pipe; each path fails that is listed as down. */
const openFailing = async (config = {}) => {
  const world = { state: 'Running', down: new Set<string>() };
  const live = await openLive({
    config: { maxRetries: 0, ...config },
    management: ({ method, path }) => {
      if (method === 'GET' && world.down.has(path))
        return json({ status: 503, error: 'down' }, 503);
      if (path.endsWith('/pipes'))
        return result([{ id: pipeIds[0], name: 'p', state: world.state }]);
      const service = { id: serviceId, name: 's', state: 'running', backupPeriodInHours: 24 };
      return result(path === servicesPath ? [service] : service);
    },
  });
  return { ...live, world };
};

describe('what may pass', () => {
  it.each([
    ['an upstream that is down', 503, 'UPSTREAM_UNAVAILABLE'],
    ['a service that sleeps', 424, 'SERVICE_NOT_RUNNING'],
  ])(
    'is shown once it has lasted for 30 s; polls become rarer, and then go on: %s',
    async (_, status, code) => {
      const clock = stopTime();
      const { open, world } = await openLive();
      const pipe = await open();
      await clock.until(pipe.event(1));
      world.fail(`GET ${pipePath()}`, status);
      await pass(clock, 30_000);
      expect(pipe.events).toHaveLength(1);
      await pass(clock, 10_000);
      expect(pipe.events).toHaveLength(2);
      await pass(clock, 40_000);
      // After 5, 10, 20 and 40 s.
      expect(world.failed).toHaveLength(4);
      expect(pipe.events[1]).toMatchObject({
        data: { pipe: null },
        errors: [{ path: ['pipe'], extensions: { code } }],
      });
      world.fail(`GET ${pipePath()}`, undefined);
      world.states[0] = 'Failed';
      expect((await clock.until(pipe.event(3))).data.pipe.state).toBe('Failed');
    },
  );

  it('is shown in a first event, and the data once it has passed', async () => {
    const { open, world } = await openLive(soon);
    world.fail(`GET ${pipePath()}`, 503);
    const pipe = await open();
    expect(codesOf(await pipe.event(1))).toEqual(['UPSTREAM_UNAVAILABLE']);
    world.fail(`GET ${pipePath()}`, undefined);
    expect(await pipe.event(2)).toEqual({ data: { pipe: { name: 'pipe 0', state: 'Running' } } });
  });

  it('is not shown of what a write has changed before that is known', async () => {
    const config = { ...soon.config, maxRetries: 0 };
    const { open, query, world } = await openLive({ ...soon, config });
    const pipe = await open();
    await pipe.event(1);
    world.fail(`GET ${pipePath()}`, 503);
    await query(stopPipe());
    await until(() => world.failed.length >= 2);
    world.fail(`GET ${pipePath()}`, undefined);
    expect(await pipe.event(2)).toEqual({ data: { pipe: { name: 'pipe 0', state: 'Stopping' } } });
    expect(pipe.events).toHaveLength(2);
  });

  it('is not tried again before something new is known', async () => {
    const clock = stopTime();
    const { open, query, world, calls } = await openFailing({ managementRate: undefined });
    const stream = await open(
      `subscription { organization(id: "${organizationId}") { services { id pipes { state } } } }`,
    );
    await clock.until(stream.event(1));
    world.down.add(servicesPath);
    await clock.until(
      query(
        `mutation { updateServiceScaling(input: { ${ofService}, numReplicas: 3 }) { userErrors { message } } }`,
      ),
    );
    world.state = 'Stopped';
    const before = readsOf(calls, servicesPath);
    await pass(clock, 10_000);
    // With the poll after the write, and with the two polls of the pipes.
    expect(readsOf(calls, servicesPath) - before).toBeLessThanOrEqual(6);
    expect(stream.events).toHaveLength(1);
    world.down.clear();
    expect((await clock.until(stream.event(2))).data.organization.services).toEqual([
      { id: serviceId, pipes: [{ state: 'Stopped' }] },
    ]);
  });

  it('is sent with a change where the client was shown as much before, and not twice', async () => {
    const clock = stopTime();
    const { open, world } = await openFailing();
    world.down.add(backupPath);
    const stream = await open(
      `subscription { service(${ofService}) { pipes { state } backupConfiguration { backupPeriodInHours } } }`,
    );
    for (const [index, state] of ['Running', 'Failed', 'Running'].entries()) {
      world.state = state;
      const { data, errors } = await clock.until(stream.event(index + 1));
      expect(data.service).toEqual({ pipes: [{ state }], backupConfiguration: null });
      expect(codesOf({ errors })).toEqual(['UPSTREAM_UNAVAILABLE']);
    }
    await pass(clock, 60_000);
    expect(stream.events).toHaveLength(3);
    world.down.clear();
    expect((await clock.until(stream.event(4))).errors).toBeUndefined();
  });

  it('holds back an event for half a minute at most, where one part keeps failing and others have changed', async () => {
    const clock = stopTime();
    const { open, world } = await openLive();
    const { alerts, fail } = world;
    const stream = await open('subscription { alerts { state dashboard { name } } }');
    await clock.until(stream.event(1));
    fail('GET /api/v2/dashboards/d2', 500);
    alerts.push({ id: 'a2', name: 'lag', state: 'OK', dashboard: 'd2' });
    await pass(clock, 25_000);
    expect(stream.events).toHaveLength(1);
    await pass(clock, 15_000);
    expect(stream.events).toHaveLength(2);
    expect(codesOf(stream.events[1])).toEqual(['UPSTREAM_ERROR']);
    for (const alert of alerts) alert.state = 'ALERT';
    await pass(clock, 10_000);
    expect(stream.events[2]?.data.alerts).toEqual([
      { state: 'ALERT', dashboard: { name: 'dashboard' } },
      { state: 'ALERT', dashboard: null },
    ]);
    fail('GET /api/v2/dashboards/d2', undefined);
    expect((await clock.until(stream.event(4))).errors).toBeUndefined();
  });

  it('has lasted, of a read that hangs, since that was sent', async () => {
    const clock = stopTime();
    const hung = createGate();
    let isHanging = false;
    const { open } = await openLive({
      management: (call) =>
        isHanging
          ? hung.answering(call)
          : result({ id: pipeIds[0], name: 'pipe', state: 'Running' }),
    });
    const stream = await open();
    await clock.until(stream.event(1));
    isHanging = true;
    await pass(clock, 5100);
    await hung.arrived(1);
    await pass(clock, 29_000);
    expect(stream.events).toHaveLength(1);
    await pass(clock, 1500);
    expect(codesOf(stream.events[1])).toEqual(['UPSTREAM_TIMEOUT']);
  });

  it('has a poll sent again that a query has joined', async () => {
    const clock = stopTime();
    const polled = createGate();
    let reads = 0;
    const { open, query } = await openLive({
      config: { maxRetries: 1, explain: true },
      management: (call) => {
        reads += 1;
        return reads === 2
          ? polled.answering(call)
          : result({ id: pipeIds[0], name: `read ${reads}`, state: 'Running' });
      },
    });
    const stream = await open();
    await clock.until(stream.event(1));
    await pass(clock, 5100);
    const poll = await polled.arrived(1);
    const joined = query(pipeQuery, { headers: { 'sluice-explain': '1' } });
    await pass(clock, 200);
    poll.answer(json({ status: 502, error: 'down' }, 502));
    // The pause before that is not on the clock that stands still.
    const isAnswered = joined.then(() => true);
    await clock.still(() => reads === 3);
    expect(await clock.until(isAnswered)).toBe(true);
    expect((await joined).body).toMatchObject({
      data: { pipe: { name: 'read 3' } },
      extensions: { upstream: [{ cache: 'shared' }] },
    });
  });

  it.each([424, 503])(
    'leaves the list of all pipes what it has, of a service that answers %i',
    async (status) => {
      let [isFailing, state] = [status === 424, 'Running'];
      const { clock, stack, query, pass } = await startFleet({
        services: 2,
        config: { maxRetries: 0, managementRate: undefined },
        answer: ({ path }) => {
          if (path === pipesPath(1)) return result([{ ...pipeOf(1), state }]);
          const isRead = path.startsWith(pipesPath(2));
          return isRead && isFailing ? json({ status, error: 'down' }, status) : undefined;
        },
      });
      const stream = await clock.until(
        subscribe(
          stack.url,
          withIds(`subscription { organization(id: "organization-1") {
          pipes { items { name state } unreadServices { service { name } code } }
        } }`),
        ),
      );
      const shown = async (number: number) =>
        (await clock.until(stream.event(number))).data.organization.pipes;
      const items = () => [
        { name: 'Pipe 1', state },
        { name: 'Pipe 2', state: 'Stopped' },
      ];
      const whole = () => ({ items: items(), unreadServices: [] });
      if (isFailing) {
        const unreadServices = [{ service: { name: 'Service 2' }, code: 'SERVICE_NOT_RUNNING' }];
        expect(await shown(1)).toEqual({ items: items().slice(0, 1), unreadServices });
      } else {
        expect(await shown(1)).toEqual(whole());
        isFailing = true;
        const stop = 'stopPipe(input: { @service-2, pipeId: "pipe-2" }) { userErrors { code } }';
        await query(withIds(`mutation { ${stop} }`));
        state = 'Failed';
        await pass(8);
        expect(stream.events).toHaveLength(1);
      }
      isFailing = false;
      expect(await shown(2)).toEqual(whole());
      stream.leave();
    },
  );
});

describe('a stream is ended', () => {
  it.each([
    [401, 'UNAUTHENTICATED', 'credential refused'],
    [403, 'FORBIDDEN', 'credential refused'],
    [404, 'NOT_FOUND', 'nothing to watch'],
  ])('by a %d of a poll, told once to each subscriber', async (status, code, ended) => {
    const { open, world, gateway, lines } = await openLive(soon);
    const streams = [await open(), await open()];
    await Promise.all(streams.map((stream) => stream.event(1)));
    world.fail(`GET ${pipePath()}`, status);
    await Promise.all(streams.map((stream) => stream.ended));
    for (const { events, isComplete } of streams) {
      expect(isComplete).toBe(true);
      expect(events.at(-1)).toMatchObject({
        data: { pipe: null },
        errors: [{ path: ['pipe'], extensions: { code } }],
        extensions: { ended },
      });
    }
    expect(gateway.streams()).toEqual(noStreams);
    // The one poll: neither asks again by itself.
    expect(world.failed).toEqual([`GET ${pipePath()}`]);
    expect(lines('subscription')).toMatchObject([1, 2].map(() => ({ ended, codes: [code] })));
  });

  it.each([
    [pipePath(), pipeSubscription(), 404, 'nothing to watch', { pipe: null }],
    [
      servicePath,
      pipes,
      401,
      'credential refused',
      { pipes: { 0: { state: 'Running', service: null } } },
    ],
    [
      servicePath,
      pipes,
      403,
      'credential refused',
      { pipes: { 2: { state: 'Running', service: null } } },
    ],
  ])(
    'after its first event where that is answered so: %s, %s, %i',
    async (path, document, status, ended, data) => {
      const { open, world, gateway } = await openLive(soon);
      world.fail(`GET ${path}`, status);
      const stream = await open(document);
      await stream.ended;
      expect(stream.isComplete).toBe(true);
      expect(stream.events).toMatchObject([{ data, extensions: { ended } }]);
      expect(gateway.streams()).toEqual(noStreams);
    },
  );

  it.each([404, 410])(
    'not where a part of it is answered %i, which is not asked for again',
    async (status) => {
      const { open, world, calls } = await openLive(soon);
      world.fail(`GET ${servicePath}`, status);
      const stream = await open(pipes);
      expect((await stream.event(1)).extensions).toBeUndefined();
      const asked = readsOf(calls, servicePath);
      world.states.fill('Failed');
      const second = await stream.event(2);
      expect(second.data.pipes[0]).toEqual({ state: 'Failed', service: null });
      expect(second.errors).toHaveLength(3);
      expect(readsOf(calls, servicePath)).toBe(asked);
    },
  );

  it('with an event that says so, also where that event tells nothing else', async () => {
    const clock = stopTime();
    const { open, world } = await openLive();
    const one = await open();
    await clock.until(one.event(1));
    await pass(clock, 500);
    world.fail(`GET ${pipePath()}`, 401);
    const two = await open(pipeSubscription(), { 'cache-control': 'no-cache' });
    await clock.until(Promise.all([one.ended, two.ended]));
    for (const { events } of [one, two]) {
      const ended = events.map(({ extensions }) => extensions?.ended);
      expect(ended).toEqual([undefined, 'credential refused']);
    }
    expect(two.events.map(codesOf)).toEqual([['UNAUTHENTICATED'], ['UNAUTHENTICATED']]);
  });

  it('after a minute in which nothing was ever answered', async () => {
    const clock = stopTime();
    const { open, world, gateway, log } = await openFailing();
    world.down.add(servicePath);
    const never = await open(`subscription { service(${ofService}) { name } }`);
    await clock.until(never.event(1));
    await pass(clock, 55_000);
    expect(never.isComplete).toBe(false);
    await pass(clock, 6000);
    await clock.until(never.ended);
    expect([never.isComplete, never.events.length]).toEqual([true, 1]);
    expect(gateway.streams()).toEqual(noStreams);
    expect(log()).toContain('"ended":"no answer"');
  });

  it('after its lifetime, however long that is beside other times', async () => {
    const { open, gateway, lines } = await openLive({
      gateway: { ...soon.gateway, requestTimeoutMs: 400, stallMs: 400, streamLifetimeMs: 2000 },
      config: { managementRate: undefined, operationTimeoutMs: 400 },
    });
    const pipe = await open();
    await pipe.ended;
    expect([pipe.isComplete, pipe.events.length]).toEqual([true, 1]);
    await until(() => gateway.streams().streams === 0);
    expect(lines('subscription')).toMatchObject([{ ended: 'lifetime over', events: 1 }]);
  });

  it('when the gateway stops, also while it waits for its first event', async () => {
    const held = createGate();
    const { open, gateway, calls } = await openLive({
      management: (call) =>
        call.path === pipePath() ? result({ id: pipeIds[0], name: 'pipe' }) : held.answering(call),
    });
    const pipe = await open();
    await pipe.event(1);
    const waiting = await open(pipesSubscription);
    await until(() => calls.length === 2);
    const closed = gateway.close();
    await Promise.all([pipe.ended, waiting.ended]);
    expect([pipe.isComplete, waiting.isComplete, waiting.events]).toEqual([true, true, []]);
    (await held.arrived(1)).answer(result([]));
    await closed;
    expect(gateway.streams()).toEqual(noStreams);
  });

  it('with a line in the log: what it was, its events, its calls, and why it ended', async () => {
    const { open, lines } = await openLive();
    const pipe = await open(pipeSubscription().replace('{', 'Live {'));
    await pipe.event(1);
    pipe.leave();
    await until(() => lines('subscription').length === 1);
    const operation = { operationName: 'Live', operationType: 'subscription' };
    const counted = { events: 1, upstreamCalls: 1, codes: [], ended: 'client left' };
    expect(lines('subscription')).toMatchObject([{ ...operation, ...counted }]);
    expect(lines('operation')).toEqual([]);
  });
});

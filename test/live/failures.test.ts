import { afterEach, describe, expect, it } from 'vitest';
import { createGate } from '../support/faults/gate.ts';
import { json, result } from '../support/harness.ts';
import {
  organizationId,
  pass,
  pipeIds,
  pipeQuery,
  pipeSubscription,
  readsOf,
  serviceId,
  servicePath,
  startLive,
} from '../support/live-world.ts';
import { stopTime } from '../support/pacing/time.ts';
import { subscribe } from '../support/subscribe.ts';

let stack: Awaited<ReturnType<typeof startLive>>;
afterEach(() => stack.close());

const servicesPath = `/v1/organizations/${organizationId}/services`;
const organization = `subscription { organization(id: "${organizationId}") { services { id pipes { state } } } }`;
const service = `subscription { service(organizationId: "${organizationId}", serviceId: "${serviceId}") {
  pipes { state } backupConfiguration { backupPeriodInHours }
} }`;
const scale = `mutation { updateServiceScaling(input: {
  organizationId: "${organizationId}", serviceId: "${serviceId}", numReplicas: 3
}) { userErrors { message } } }`;

/** An organization with one service and one pipe; each path fails that is listed as down. */
const startFailing = async (config = {}) => {
  const world = { state: 'Running', down: new Set<string>() };
  let failures = 0;
  stack = await startLive({
    config: { maxRetries: 0, breakerFailures: 1_000_000, ...config },
    management: ({ method, path }) => {
      if (method === 'GET' && world.down.has(path)) {
        failures += 1;
        const requestId = `failure-${failures}`;
        return json({ status: 503, error: 'down', requestId }, 503);
      }
      if (path.endsWith('/pipes'))
        return result([{ id: pipeIds[0], name: 'p', state: world.state }]);
      if (path === servicesPath) return result([{ id: serviceId, name: 's', state: 'running' }]);
      return result({ id: serviceId, name: 's', state: 'running', backupPeriodInHours: 24 });
    },
  });
  return world;
};

describe('an event that fails for what may pass', () => {
  it('is not tried again before something new is known', async () => {
    const clock = stopTime();
    const world = await startFailing({ managementRate: undefined });
    const stream = await subscribe(stack.url, organization);
    await clock.until(stream.event(1));
    world.down.add(servicesPath);
    await clock.until(stack.query(scale));
    world.state = 'Stopped';
    const before = readsOf(stack.calls, servicesPath);
    await pass(clock, 10_000);
    // With the poll after the write, and with the two polls of the pipes.
    expect(readsOf(stack.calls, servicesPath) - before).toBeLessThanOrEqual(6);
    expect(stream.events).toHaveLength(1);
    world.down.clear();
    expect((await clock.until(stream.event(2))).data.organization.services).toEqual([
      { id: serviceId, pipes: [{ state: 'Stopped' }] },
    ]);
    stream.leave();
  });

  it('is sent where the client was shown as much before, and not twice', async () => {
    const clock = stopTime();
    const world = await startFailing();
    world.down.add(`${servicePath}/backupConfiguration`);
    const stream = await subscribe(stack.url, service);
    const first = await clock.until(stream.event(1));
    expect(first.errors).toHaveLength(1);
    world.state = 'Failed';
    expect(await clock.until(stream.event(2))).toMatchObject({
      data: { service: { pipes: [{ state: 'Failed' }], backupConfiguration: null } },
      errors: [{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }],
    });
    world.state = 'Running';
    await clock.until(stream.event(3));
    await pass(clock, 60_000);
    expect(stream.events).toHaveLength(3);
    world.down.clear();
    expect((await clock.until(stream.event(4))).errors).toBeUndefined();
    stream.leave();
  });

  it.each([
    [503, 'UPSTREAM_UNAVAILABLE'],
    [500, 'UPSTREAM_ERROR'],
  ])(
    'is held back for half a minute at most, where one part keeps failing with %i and others have changed',
    async (status, code) => {
      const clock = stopTime();
      stack = await startLive({ config: { maxRetries: 0, breakerFailures: 1_000_000 } });
      const { alerts, fail } = stack.world;
      const stream = await subscribe(
        stack.url,
        'subscription { alerts { state dashboard { name } } }',
      );
      await clock.until(stream.event(1));
      fail('GET /api/v2/dashboards/d2', status);
      alerts.push({ id: 'a2', name: 'lag', state: 'OK', dashboard: 'd2' });
      await pass(clock, 25_000);
      expect(stream.events).toHaveLength(1);
      await pass(clock, 15_000);
      expect(stream.events).toHaveLength(2);
      expect(stream.events[1]).toMatchObject({
        data: { alerts: [{ state: 'OK' }, { state: 'OK', dashboard: null }] },
        errors: [{ extensions: { code } }],
      });
      for (const alert of alerts) alert.state = 'ALERT';
      await pass(clock, 10_000);
      expect(stream.events[2]?.data.alerts).toEqual([
        { state: 'ALERT', dashboard: { name: 'dashboard' } },
        { state: 'ALERT', dashboard: null },
      ]);
      fail('GET /api/v2/dashboards/d2', undefined);
      expect((await clock.until(stream.event(4))).errors).toBeUndefined();
      stream.leave();
    },
  );

  it('ends its stream after a minute where nothing was ever answered', async () => {
    const clock = stopTime();
    const world = await startFailing();
    world.down.add(servicePath);
    const root = `service(organizationId: "${organizationId}", serviceId: "${serviceId}")`;
    const never = await subscribe(stack.url, `subscription { ${root} { name } }`);
    await clock.until(never.event(1));
    await pass(clock, 55_000);
    expect(never.isComplete).toBe(false);
    await pass(clock, 6000);
    await clock.until(never.ended);
    expect([never.isComplete, never.events.length]).toEqual([true, 1]);
    expect(stack.gateway.streams()).toEqual({ streams: 0, reads: 0, credentials: 0 });
    expect(stack.log()).toContain('"ended":"no answer"');
  });
});

it('a read that hangs counts as failing from when it was sent', async () => {
  const clock = stopTime();
  const hung = createGate();
  let isHanging = false;
  stack = await startLive({
    management: (call) =>
      isHanging ? hung.answering(call) : result({ id: pipeIds[0], name: 'pipe', state: 'Running' }),
  });
  const stream = await subscribe(stack.url, pipeSubscription());
  await clock.until(stream.event(1));
  isHanging = true;
  await pass(clock, 5100);
  await hung.arrived(1);
  await pass(clock, 29_000);
  expect(stream.events).toHaveLength(1);
  await pass(clock, 1500);
  expect(stream.events[1]?.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
  stream.leave();
});

it('a poll that a query has joined is sent again where what it failed with may pass', async () => {
  const clock = stopTime();
  const polled = createGate();
  let reads = 0;
  stack = await startLive({
    config: { maxRetries: 1 },
    management: (call) => {
      reads += 1;
      if (reads === 2) return polled.answering(call);
      return result({ id: pipeIds[0], name: `read ${reads}`, state: 'Running' });
    },
  });
  const stream = await subscribe(stack.url, pipeSubscription());
  await clock.until(stream.event(1));
  await pass(clock, 5100);
  const poll = await polled.arrived(1);
  const joined = stack.query(pipeQuery, { headers: { 'sluice-explain': '1' } });
  await pass(clock, 200);
  poll.answer(json({ status: 502, error: 'down' }, 502));
  let isAnswered = false;
  joined.then(() => {
    isAnswered = true;
  });
  // The pause before that is not on the clock that stands still.
  await clock.still(() => reads === 3 || isAnswered);
  const { body } = await clock.until(joined);
  expect(body).toMatchObject({
    data: { pipe: { name: 'read 3' } },
    extensions: { upstream: [{ cache: 'shared' }] },
  });
  stream.leave();
});

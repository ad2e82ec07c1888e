import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { json, result, type Stack } from '../support/harness.ts';
import { organizationId, pass, startLive } from '../support/live-world.ts';
import { type Clock, stopTime } from '../support/pacing/time.ts';
import { subscribe } from '../support/subscribe.ts';
import { withIds } from '../support/world/ids.ts';

const servicesPath = `/v1/organizations/${organizationId}/services`;
const pipesPath = (number: number): string => withIds(`${servicesPath}/service-${number}/pipes`);

const document = `subscription { organization(id: "${organizationId}") {
  pipes { items { name state } unreadServices { service { name } code } }
} }`;

const stop = (number: number): string =>
  withIds(`mutation { stopPipe(input: {
    organizationId: "${organizationId}", serviceId: "service-${number}", pipeId: "pipe-${number}"
  }) { userErrors { code } } }`);

let clock: Clock;
let stack: Stack;
/** The status that reads of a service's pipes fail with, and the state of its pipe, by path. */
const failing = new Map<string, number>();
const states = new Map<string, string>();

beforeEach(async () => {
  clock = stopTime();
  failing.clear();
  states.clear();
  stack = await startLive({
    config: { maxRetries: 0, breakerFailures: 1_000_000, managementRate: undefined },
    management: ({ method, path }) => {
      if (path === servicesPath) {
        return result([1, 2].map((n) => ({ id: withIds(`service-${n}`), name: `Service ${n}` })));
      }
      const [own = '', command] = path.split(/(?<=\/pipes)\//);
      const number = own === pipesPath(1) ? 1 : 2;
      if (method === 'PATCH' && command) states.set(own, 'Stopped');
      const status = failing.get(own);
      if (method === 'GET' && status)
        return json({ status, error: 'down', requestId: 'r' }, status);
      const state = states.get(own) ?? 'Running';
      const pipe = { id: withIds(`pipe-${number}`), name: `Pipe ${number}`, state };
      return result(command ? pipe : [pipe]);
    },
  });
  onTestFinished(() => stack.close());
});

const pipe = (number: number, state = 'Running') => ({ name: `Pipe ${number}`, state });

it('a subscription to all pipes shows those of a service once it is awake', async () => {
  failing.set(pipesPath(2), 424);
  const stream = await subscribe(stack.url, document);
  const asleep = { service: { name: 'Service 2' }, code: 'SERVICE_NOT_RUNNING' };
  expect((await clock.until(stream.event(1))).data.organization.pipes).toEqual({
    items: [pipe(1)],
    unreadServices: [asleep],
  });
  failing.clear();
  expect((await clock.until(stream.event(2))).data.organization.pipes).toEqual({
    items: [pipe(1), pipe(2)],
    unreadServices: [],
  });
  stream.leave();
});

it('a subscription to all pipes keeps what it has shown while a service fails for what may pass', async () => {
  const stream = await subscribe(stack.url, document);
  await clock.until(stream.event(1));
  failing.set(pipesPath(2), 503);
  await clock.until(stack.query(stop(2)));
  states.set(pipesPath(1), 'Failed');
  await pass(clock, 8000);
  expect(stream.events).toHaveLength(1);
  failing.clear();
  expect((await clock.until(stream.event(2))).data.organization.pipes).toEqual({
    items: [pipe(1, 'Failed'), pipe(2, 'Stopped')],
    unreadServices: [],
  });
  stream.leave();
});

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Answer, json, result } from '../support/harness.ts';
import {
  type Fleet,
  type FleetCall,
  pipesPath,
  servicesPath,
  startFleet,
} from '../support/pacing/fleet.ts';
import { type Event, type Subscription, subscribe } from '../support/subscribe.ts';
import { withIds } from '../support/world/ids.ts';
import { numbers, pipeOf } from '../support/world/worlds.ts';

vi.mock('node:timers/promises', () => import('../support/upstream/timers-promises.ts'));

const fleetOf = (operation: string): string =>
  withIds(
    `${operation} { organization(id: "organization-1") { services { id pipes { state } } } }`,
  );

/** All reads of a fleet of so many services. */
const readsOf = (services: number): readonly string[] => [
  servicesPath,
  ...numbers(services).map(pipesPath),
];

/** Answers so, or as the world does, after that time. */
const taking = async (ms: number, answer?: Answer): Promise<Answer | undefined> => {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return answer;
};

const whole = { services: numbers(40), missing: {} };

interface Shown {
  readonly event: Event;
  /** The services whose pipes it shows. */
  readonly services: readonly number[];
  /** The services whose pipes it does not show, by code. */
  readonly missing: Readonly<Record<string, readonly number[]>>;
  readonly progress: { readonly ready: number } | undefined;
}

const shownIn = (event: Event): Shown => {
  const services: readonly { pipes: unknown }[] = event.data.organization.services;
  const missing: Record<string, number[]> = {};
  for (const { path, extensions } of event.errors ?? []) {
    missing[extensions.code] = [...(missing[extensions.code] ?? []), path[2] + 1];
  }
  for (const all of Object.values(missing)) all.sort((one, other) => one - other);
  return {
    event,
    services: services.flatMap(({ pipes }, index) => (pipes ? [index + 1] : [])),
    missing,
    progress: event.extensions?.progress,
  };
};

const open = async (fleet: Fleet, text = fleetOf('subscription')): Promise<Subscription> => {
  const stream = await fleet.clock.until(subscribe(fleet.stack.url, text));
  onTestFinished(stream.leave);
  return stream;
};

/** Lets so many seconds pass. The events that come meanwhile, of which there is one a second at most. */
const watch = async (fleet: Fleet, stream: Subscription, seconds: number): Promise<Event[]> => {
  const before = stream.events.length;
  for (let passed = 0; passed < seconds; passed += 1) {
    const seen = stream.events.length;
    await fleet.pass(1);
    expect(stream.events.length - seen).toBeLessThanOrEqual(1);
  }
  return stream.events.slice(before);
};

/** Expects that each event shows more than the one before, and that nothing is missing again that was there. */
const expectMoreAndMore = (events: readonly Event[]): void => {
  let before: readonly number[] = [];
  for (const { services } of events.map(shownIn)) {
    expect(services.length).toBeGreaterThan(before.length);
    expect(services).toEqual(expect.arrayContaining([...before]));
    before = services;
  }
};

/** How often the path was read. */
const timesOf = ({ paths }: Fleet, path: string): number =>
  paths().filter((each) => each === path).length;

describe('a subscription that needs more calls than fit the time of an event', () => {
  it('shows what there is, then more and more, each read sent once for all who watch or ask, and is polled by age when it is whole', async () => {
    let calls = 0;
    const fleet = await startFleet({
      services: 40,
      // Answers come one after the other.
      answer: ({ path }) => {
        calls += 1;
        return taking(path === servicesPath ? 0 : (calls % 8) * 300);
      },
    });
    const [stream, other] = [await open(fleet), await open(fleet)];
    const page = fleet.stack.query(fleetOf('query'));
    const [first, ...others] = await watch(fleet, stream, 60);
    await fleet.clock.until(page);
    expect(shownIn(first)).toMatchObject({
      services: numbers(7),
      missing: { RATE_LIMITED: numbers(40).slice(7) },
      progress: { ready: 8, wanted: 41 },
    });
    for (const { events } of [stream, other]) {
      expectMoreAndMore(events);
      expect(shownIn(events.at(-1))).toMatchObject({ ...whole, progress: undefined });
    }
    expect(others.length).toBeGreaterThanOrEqual(2);
    expect(fleet.paths().slice(0, 41).toSorted()).toEqual(readsOf(40).toSorted());

    expect(await watch(fleet, stream, 50)).toEqual([]);
    const polls = fleet.paths().slice(41);
    // The oldest first: answers that come together may be out of order by a few.
    expect(new Set(polls).size).toBe(polls.length);
    expect(fleet.paths().slice(0, polls.length + 8)).toEqual(expect.arrayContaining(polls));
    // Three in ten seconds.
    expect(polls.length).toBeGreaterThanOrEqual(12);
    expect(polls.length).toBeLessThanOrEqual(18);
  });

  it('leaves other streams of the credential their polls', async () => {
    const fleet = await startFleet({ services: 100 });
    const small = await open(fleet, withIds('subscription { service(@service-3) { name } }'));
    await fleet.clock.until(small.event(1));
    const stream = await open(fleet);
    await fleet.pass(30);
    const before = timesOf(fleet, `${servicesPath}/service-3`);
    await fleet.pass(90);
    expect(timesOf(fleet, `${servicesPath}/service-3`) - before).toBeGreaterThanOrEqual(8);
    await fleet.pass(30);
    expect(shownIn(stream.events.at(-1)).services).toEqual(numbers(100));
    const own = fleet.paths().filter((path) => path !== `${servicesPath}/service-3`);
    expect(new Set(own.slice(0, 101)).size).toBe(101);
  });

  it('shows a change that is made meanwhile, and nothing that it has shown is missing until then', async () => {
    const states = ['Stopping', 'Stopped'];
    let state: string | undefined;
    const answer = ({ path }: FleetCall): Answer | undefined => {
      if (path.startsWith('PATCH')) state = 'Running';
      if (path !== pipesPath(3) || state === undefined) return undefined;
      state = states.shift() ?? state;
      return result([{ ...pipeOf(3), state }]);
    };
    const fleet = await startFleet({ services: 100, answer });
    const stream = await open(fleet);
    await fleet.pass(33);
    const before = fleet.sent.length;
    const stop =
      'mutation { stopPipe(input: { @service-3, pipeId: "pipe-3" }) { userErrors { code } } }';
    expect((await fleet.query(withIds(stop))).body.errors).toBeUndefined();
    // Somebody else reads a part that was missing, so that an event comes before the change can be read.
    await fleet.query(withIds('{ service(@service-90) { pipes { state } } }'));
    const { second } = fleet.sent[before - 1] ?? {};
    expect(fleet.sent.slice(before)).toEqual([
      { path: expect.stringMatching('^PATCH'), second: fleet.second() },
      { path: pipesPath(90), second: fleet.second() },
    ]);
    expect(fleet.second()).toBeLessThan(Number(second) + 10);
    await fleet.pass(60);
    // The next read is that of what has changed.
    expect(fleet.paths()[before + 2]).toBe(pipesPath(3));
    const { event, progress } = shownIn(stream.events.at(-1));
    expect(progress).toBeDefined();
    expect(event.data.organization.services[2].pipes).toEqual([{ state: 'Stopped' }]);
    for (const { services } of stream.events.map(shownIn)) expect(services).toContain(3);
  });

  it('goes on while a read takes long', async () => {
    const fleet = await startFleet({
      services: 60,
      answer: ({ path }) => taking(path === pipesPath(26) ? 20_000 : 0),
    });
    const stream = await open(fleet);
    await fleet.pass(46);
    const isThere = numbers(38).filter((each) => each !== 26);
    expect(shownIn(stream.events.at(-1))).toMatchObject({
      services: isThere,
      missing: { RATE_LIMITED: numbers(60).filter((each) => !isThere.includes(each)) },
      progress: { ready: 38, wanted: 61 },
    });
    await fleet.pass(40);
    expectMoreAndMore(stream.events);
    expect(shownIn(stream.events.at(-1)).services).toEqual(numbers(60));
    expect(fleet.paths().slice(0, 61).toSorted()).toEqual(readsOf(60).toSorted());
  });

  it('is read on for a minute at most when the subscriber has left', async () => {
    const fleet = await startFleet({ services: 100 });
    const stream = await open(fleet);
    await fleet.pass(28);
    stream.leave();
    // The clock stands still until the gateway has seen that.
    await expect.poll(() => fleet.stack.gateway.streams().streams).toBe(0);
    await fleet.pass(120);
    expect(fleet.sent.at(-1)?.second).toBeLessThan(89);
    expect(fleet.stack.gateway.streams()).toEqual({ streams: 0, reads: 0, credentials: 0 });
  });
});

const down = json({ status: 500, error: 'down' }, 500);

describe('what fails for another reason than its turn', () => {
  it.each([
    ['SERVICE_NOT_RUNNING', json({ status: 424 }, 424)],
    ['UPSTREAM_ERROR', down],
    ['UPSTREAM_BAD_RESPONSE', { body: '<html>' }],
    ['NOT_FOUND', json({ status: 404 }, 404)],
  ])('counts as read: %s', async (code, failure) => {
    const fleet = await startFleet({
      services: 8,
      config: { managementRate: { calls: 2, windowMs: 10_000 } },
      // One of the first event, and the last one, which is read alone.
      answer: ({ path }) => ([1, 8].map(pipesPath).includes(path) ? failure : undefined),
    });
    const stream = await open(fleet);
    const events = (await watch(fleet, stream, 100)).map(shownIn);
    const at = (services: readonly number[], ready: number) => ({
      services,
      progress: { ready, wanted: 9 },
    });
    expect([events[0], events[2], events[3]]).toMatchObject([
      at([], 2),
      at([2, 3, 4, 5], 6),
      at([2, 3, 4, 5, 6, 7], 8),
    ]);
    const last = { services: [2, 3, 4, 5, 6, 7], missing: { [code]: [1, 8] }, progress: undefined };
    expect(events.slice(4)).toMatchObject([last]);
    expect(fleet.paths().slice(0, 10)).toEqual([...readsOf(8), servicesPath]);
  });

  it('is no news where it only comes in another order', async () => {
    const fleet = await startFleet({
      services: 2,
      answer: ({ path }) =>
        path === servicesPath ? undefined : taking(path === pipesPath(1) ? 500 : 0, down),
    });
    const stream = await open(fleet);
    // Longer than polls have to fail until events show it.
    expect(await watch(fleet, stream, 80)).toHaveLength(1);
    expect(timesOf(fleet, pipesPath(1))).toBeGreaterThan(2);
  });

  it('is what keeps the rest from being read while the upstream is down', async () => {
    const isDown = (second: number): boolean => second >= 25 && second < 75;
    const fleet = await startFleet({
      services: 40,
      config: { breakerFailures: 5 },
      answer: ({ second }) => (isDown(second) ? json({ status: 503 }, 503) : undefined),
    });
    const stream = await open(fleet);
    const events = await watch(fleet, stream, 70);
    // One at most may wait for a slot to be sent again.
    const { services, missing, progress } = shownIn(events.at(-1));
    expect(services).toEqual(numbers(23));
    expect(missing.UPSTREAM_UNAVAILABLE?.length).toBeGreaterThanOrEqual(16);
    expect([undefined, 40]).toContain(progress?.ready);
    await fleet.pass(150);
    expect(shownIn(stream.events.at(-1)).services).toEqual(numbers(40));
  });
});

it.each([{ readCacheBytes: 0 }, { maxStaleMs: 0 }])(
  'where nothing is read on, an event waits for its reads, and tells of no progress: %j',
  async (config) => {
    const fleet = await startFleet({ services: 40, config });
    const stream = await open(fleet);
    const events = await watch(fleet, stream, 60);
    expectMoreAndMore(events);
    expect(events.map(shownIn)).toMatchObject([
      { services: numbers(23), progress: undefined },
      whole,
    ]);
    expect(fleet.paths().slice(0, 41).toSorted()).toEqual(readsOf(40).toSorted());
  },
);

it('a subscription whose answers do not fit into memory goes on, and does not take all calls', async () => {
  const fleet = await startFleet({ services: 40, config: { readCacheBytes: 40_000 } });
  await open(fleet);
  await fleet.pass(200);
  const before = fleet.paths();
  expect(new Set(before)).toEqual(new Set(readsOf(40)));
  await fleet.pass(400);
  const after = fleet.paths().slice(before.length);
  expect(new Set(after)).toEqual(new Set(readsOf(40)));
  // At full speed they would be 320.
  expect(after.length).toBeLessThan(240);
});

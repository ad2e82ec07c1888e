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

const fleetOf = (operation: 'query' | 'subscription'): string =>
  withIds(
    `${operation} { organization(id: "organization-1") { services { id pipes { state } } } }`,
  );
const document = fleetOf('subscription');
const smallDocument = withIds('subscription { service(@service-3) { name } }');
const pipesOf = (number: number): string =>
  withIds(`{ service(@service-${number}) { pipes { state } } }`);
const stopPipe = (number: number): string =>
  withIds(
    `mutation { stopPipe(input: { @service-${number}, pipeId: "pipe-${number}" }) { userErrors { message } } }`,
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

const open = async (fleet: Fleet, text = document): Promise<Subscription> => {
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
  it('shows what there is, then more and more, each read sent once, and is polled by age when it is whole', async () => {
    let calls = 0;
    const fleet = await startFleet({
      services: 40,
      // Answers come one after the other.
      answer: ({ path }) => {
        calls += 1;
        return taking(path === servicesPath ? 0 : (calls % 8) * 300);
      },
    });
    const stream = await open(fleet);
    const [first, ...others] = await watch(fleet, stream, 60);
    expect(shownIn(first)).toMatchObject({
      services: numbers(7),
      missing: { RATE_LIMITED: numbers(40).slice(7) },
      progress: { ready: 8, wanted: 41 },
    });
    expectMoreAndMore([first, ...others]);
    expect(others.length).toBeGreaterThanOrEqual(2);
    expect(shownIn(others.at(-1))).toMatchObject({
      services: numbers(40),
      missing: {},
      progress: undefined,
    });
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

  it('is read once for all who subscribe to it, and for a page of the same', async () => {
    const fleet = await startFleet({ services: 40 });
    const streams = [await open(fleet), await open(fleet)];
    const page = fleet.stack.query(fleetOf('query'));
    await fleet.pass(52);
    await fleet.clock.until(page);
    expect(fleet.paths().slice(0, 41).toSorted()).toEqual(readsOf(40).toSorted());
    for (const { events } of streams) {
      expectMoreAndMore(events);
      expect(shownIn(events.at(-1)).services).toEqual(numbers(40));
    }
    expect((await fleet.query(fleetOf('query'))).body.errors).toBeUndefined();
  });

  it('leaves other streams of the credential their polls', async () => {
    const fleet = await startFleet({ services: 100 });
    const small = await open(fleet, smallDocument);
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
    expect((await fleet.query(stopPipe(3))).body.errors).toBeUndefined();
    // Somebody else reads a part that was missing, so that an event comes before the change can be read.
    await fleet.query(pipesOf(90));
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
    await fleet.pass(60);
    const before = fleet.sent.length;
    await fleet.pass(60);
    expect(fleet.sent.length).toBe(before);
    // Eight in ten seconds, for 88 seconds.
    expect(before).toBeLessThanOrEqual(72);
    expect(fleet.stack.gateway.streams()).toEqual({ streams: 0, reads: 0, credentials: 0 });
  });
});

/** Services whose pipes cannot be read: one of the first event, and one of a later event. */
const unread = [3, 40];
const failing =
  (failure: Answer, services = unread, until = Infinity) =>
  ({ path, second }: FleetCall): Answer | undefined =>
    second < until && services.some((each) => path === pipesPath(each)) ? failure : undefined;

const failures = [
  ['SERVICE_NOT_RUNNING', json({ status: 424, error: 'The service is idle' }, 424)],
  ['UPSTREAM_ERROR', json({ status: 500, error: 'down' }, 500)],
  ['UPSTREAM_BAD_RESPONSE', { body: '<html>' }],
  ['NOT_FOUND', json({ status: 404, error: 'no such service' }, 404)],
] as const satisfies readonly (readonly [string, Answer])[];

describe('what fails for another reason than its turn', () => {
  it.each(failures)('counts as read: %s', async (code, failure) => {
    const fleet = await startFleet({
      services: 8,
      config: { managementRate: { calls: 2, windowMs: 10_000 } },
      // The last one is read alone.
      answer: failing(failure, [1, 8]),
    });
    const stream = await open(fleet);
    const events = (await watch(fleet, stream, 100)).map(shownIn);
    const [first, , third, fourth, last, ...others] = events;
    expect(first).toMatchObject({ services: [], progress: { ready: 2, wanted: 9 } });
    expect(third).toMatchObject({ services: [2, 3, 4, 5], progress: { ready: 6, wanted: 9 } });
    expect(fourth).toMatchObject({
      services: [2, 3, 4, 5, 6, 7],
      progress: { ready: 8, wanted: 9 },
    });
    expect(last).toMatchObject({ services: [2, 3, 4, 5, 6, 7], missing: { [code]: [1, 8] } });
    expect([last?.progress, others]).toEqual([undefined, []]);
    expect(fleet.paths().slice(0, 9)).toEqual(readsOf(8));
    expect(fleet.paths()[9]).toBe(servicesPath);
  });

  it('is no news where it only comes in another order', async () => {
    const fleet = await startFleet({
      services: 2,
      answer: ({ path }) =>
        path === servicesPath ? undefined : taking(path === pipesPath(1) ? 500 : 0, failures[1][1]),
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
      { services: numbers(40), missing: {} },
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

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Answer, json, result } from '../support/harness.ts';
import {
  type FleetCall,
  type FleetOptions,
  pipesPath,
  servicesPath,
  startFleet,
} from '../support/pacing/fleet.ts';
import { type Event, subscribe } from '../support/subscribe.ts';
import { withIds } from '../support/world/ids.ts';
import { numbers, pipeOf } from '../support/world/worlds.ts';

vi.mock('node:timers/promises', () => import('../support/upstream/timers-promises.ts'));

const fleetOf = (operation: string): string =>
  withIds(
    `${operation} { organization(id: "organization-1") { services { id pipes { state } } } }`,
  );

/** Answers so, or as the world does, after that time. */
const taking = async (ms: number, answer?: Answer): Promise<Answer | undefined> => {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return answer;
};

/** Numbers as ranges: `1-3 5`. */
const rangesOf = (all: readonly number[]): string =>
  all
    .toSorted((one, other) => one - other)
    .map((each, index, { [index - 1]: before, [index + 1]: after }) => {
      if (after !== each + 1) return `${each} `;
      return before === each - 1 ? '' : `${each}-`;
    })
    .join('')
    .replaceAll(/(\d+)-(?=\1 )/g, '')
    .trim();

const servicesIn = ({ data }: Event): readonly number[] =>
  (data.organization.services ?? []).flatMap(({ pipes }: { pipes: unknown }, index: number) =>
    pipes ? [index + 1] : [],
  );

/** The services whose pipes an event shows, those that it does not show by code, and how many of the reads are there. */
const textOf = (event: Event): string => {
  const missing = Map.groupBy<string, Event>(
    event.errors ?? [],
    ({ extensions }) => extensions.code,
  );
  const told = [...missing]
    .map(([code, errors]) => `${code} ${rangesOf(errors.map(({ path }) => path[2] + 1))}`)
    .toSorted((one) => (one.startsWith('RATE_LIMITED') ? -1 : 1));
  const { ready, wanted } = event.extensions?.progress ?? {};
  const progress = ready === undefined ? [] : [`${ready} of ${wanted}`];
  return [rangesOf(servicesIn(event)), ...told, ...progress].join(', ');
};

const start = async (options: FleetOptions, first = fleetOf('subscription')) => {
  const fleet = await startFleet(options);
  const watch = async (document: string) => {
    const stream = await fleet.clock.until(subscribe(fleet.stack.url, document));
    onTestFinished(stream.leave);
    return stream;
  };
  const stream = await watch(first);
  return {
    ...{ ...fleet, stream, watch },
    shown: () => stream.events.map(textOf),
    /** Lets so many seconds pass, with one event a second at most, and tells what has come meanwhile. */
    watchFor: async (seconds: number) => {
      const before = stream.events.length;
      for (let passed = 0; passed < seconds; passed += 1) {
        const seen = stream.events.length;
        await fleet.pass(1);
        expect(stream.events.length - seen).toBeLessThanOrEqual(1);
      }
      return stream.events.slice(before).map(textOf);
    },
    /** How often the path was read. */
    timesOf: (path: string) => fleet.paths().filter((each) => each === path).length,
    /** Expects that each read was sent once before any was sent again. */
    expectOnce: () => {
      const reads = [servicesPath, ...numbers(options.services).map(pipesPath)];
      expect(fleet.paths().slice(0, reads.length).toSorted()).toEqual(reads.toSorted());
    },
  };
};

/** Expects that each event shows more than the one before, and that nothing is missing again that was there. */
const expectMoreAndMore = (events: readonly Event[]): void => {
  let before: readonly number[] = [];
  for (const services of events.map(servicesIn)) {
    expect(services.length).toBeGreaterThan(before.length);
    expect(services).toEqual(expect.arrayContaining([...before]));
    before = services;
  }
};

describe('a subscription that needs more calls than fit the time of an event', () => {
  it('shows what there is, then more and more, each read sent once for all who watch or ask, and is polled by age when it is whole', async () => {
    let calls = 0;
    const { stream, watch, stack, clock, watchFor, paths, expectOnce } = await start({
      services: 40,
      // Answers come one after the other.
      answer: ({ path }) => {
        calls += 1;
        return taking(path === servicesPath ? 0 : (calls % 8) * 300);
      },
    });
    const other = await watch(fleetOf('subscription'));
    const page = stack.query(fleetOf('query'));
    const [first, ...others] = await watchFor(60);
    await clock.until(page);
    expect(first).toBe('1-7, RATE_LIMITED 8-40, 8 of 41');
    for (const { events } of [stream, other]) {
      expectMoreAndMore(events);
      expect(textOf(events.at(-1))).toBe('1-40');
    }
    expect(others.length).toBeGreaterThanOrEqual(2);
    expectOnce();

    expect(await watchFor(50)).toEqual([]);
    const polls = paths().slice(41);
    // The oldest first: answers that come together may be out of order by a few.
    expect(new Set(polls).size).toBe(polls.length);
    expect(paths().slice(0, polls.length + 8)).toEqual(expect.arrayContaining(polls));
    // Three in ten seconds.
    expect(polls.length).toBeGreaterThanOrEqual(12);
    expect(polls.length).toBeLessThanOrEqual(18);
  });

  it('leaves other streams of the credential their polls', async () => {
    const small = withIds('subscription { service(@service-3) { name } }');
    const { stream, clock, watch, pass, timesOf } = await start({ services: 100 }, small);
    await clock.until(stream.event(1));
    const large = await watch(fleetOf('subscription'));
    await pass(30);
    const before = timesOf(`${servicesPath}/service-3`);
    await pass(90);
    expect(timesOf(`${servicesPath}/service-3`) - before).toBeGreaterThanOrEqual(8);
    await pass(30);
    expect(textOf(large.events.at(-1))).toBe('1-100');
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
    const { stream, pass, sent, query } = await start({ services: 100, answer });
    await pass(33);
    const before = sent.length;
    const stop = 'stopPipe(input: { @service-3, pipeId: "pipe-3" }) { userErrors { code } }';
    expect((await query(withIds(`mutation { ${stop} }`))).body.errors).toBeUndefined();
    // Somebody else reads a part that was missing, so that an event comes before the change can be read.
    await query(withIds('{ service(@service-90) { pipes { state } } }'));
    await pass(60);
    // The first read after these is that of what has changed.
    expect(sent.slice(before, before + 3).map(({ path }) => path)).toEqual([
      expect.stringMatching('^PATCH'),
      ...[90, 3].map(pipesPath),
    ]);
    const last = stream.events.at(-1);
    expect(last.extensions.progress).toBeDefined();
    expect(last.data.organization.services[2].pipes).toEqual([{ state: 'Stopped' }]);
    for (const event of stream.events) expect(servicesIn(event)).toContain(3);
  });

  it('goes on while a read takes long', async () => {
    const { stream, pass, shown, expectOnce } = await start({
      services: 60,
      answer: ({ path }) => taking(path === pipesPath(26) ? 20_000 : 0),
    });
    await pass(46);
    expect(shown().at(-1)).toBe('1-25 27-38, RATE_LIMITED 26 39-60, 38 of 61');
    await pass(40);
    expectMoreAndMore(stream.events);
    expect(shown().at(-1)).toBe('1-60');
    expectOnce();
  });

  it('is read on for a minute at most when the subscriber has left', async () => {
    const { stream, pass, stack, sent } = await start({ services: 100 });
    await pass(28);
    stream.leave();
    // The clock stands still until the gateway has seen that.
    await expect.poll(() => stack.gateway.streams().streams).toBe(0);
    await pass(120);
    expect(sent.at(-1)?.second).toBeLessThan(89);
    expect(stack.gateway.streams()).toEqual({ streams: 0, reads: 0, credentials: 0 });
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
    const { watchFor, paths, expectOnce } = await start({
      services: 8,
      config: { managementRate: { calls: 2, windowMs: 10_000 } },
      // One of the first event, and the last one, which is read alone.
      answer: ({ path }) => ([1, 8].map(pipesPath).includes(path) ? failure : undefined),
    });
    const [first, , third, ...last] = await watchFor(100);
    expect(first).toBe(`, RATE_LIMITED 2-8, ${code} 1, 2 of 9`);
    expect(third).toBe(`2-5, RATE_LIMITED 6-8, ${code} 1, 6 of 9`);
    expect(last).toEqual([`2-7, RATE_LIMITED 8, ${code} 1, 8 of 9`, `2-7, ${code} 1 8`]);
    expectOnce();
    expect(paths()[9]).toBe(servicesPath);
  });

  it('is no news where it only comes in another order', async () => {
    const { watchFor, timesOf } = await start({
      services: 2,
      answer: ({ path }) =>
        path === servicesPath ? undefined : taking(path === pipesPath(1) ? 500 : 0, down),
    });
    // Longer than polls have to fail until events show it.
    expect(await watchFor(80)).toHaveLength(1);
    expect(timesOf(pipesPath(1))).toBeGreaterThan(2);
  });

  it('is what keeps the rest from being read while the upstream is down', async () => {
    const isDown = (second: number): boolean => second >= 25 && second < 75;
    const { watchFor, pass, shown } = await start({
      services: 40,
      config: { breakerFailures: 5 },
      answer: ({ second }) => (isDown(second) ? json({ status: 503 }, 503) : undefined),
    });
    // One at most may wait for a slot to be sent again.
    expect((await watchFor(70)).at(-1)).toMatch(
      /^1-23, (RATE_LIMITED \d+, )?UPSTREAM_UNAVAILABLE [\d -]+(, 40 of 41)?$/,
    );
    await pass(150);
    expect(shown().at(-1)).toBe('1-40');
  });
});

it.each([{ readCacheBytes: 0 }, { maxStaleMs: 0 }])(
  'where nothing is read on, an event waits for its reads, and tells of no progress: %j',
  async (config) => {
    const { watchFor, expectOnce } = await start({ services: 40, config });
    expect(await watchFor(60)).toEqual(['1-23, RATE_LIMITED 24-40', '1-40']);
    expectOnce();
  },
);

it('a subscription whose answers do not fit into memory goes on, and does not take all calls', async () => {
  const { pass, paths } = await start({ services: 40, config: { readCacheBytes: 40_000 } });
  await pass(200);
  const before = paths();
  const reads = new Set([servicesPath, ...numbers(40).map(pipesPath)]);
  expect(new Set(before)).toEqual(reads);
  await pass(400);
  const after = paths().slice(before.length);
  expect(new Set(after)).toEqual(reads);
  // At full speed they would be 320.
  expect(after.length).toBeLessThan(240);
});

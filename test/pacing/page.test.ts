import { expect, it, onTestFinished } from 'vitest';
import { paced, startStack } from '../support/harness.ts';
import { stopTime } from '../support/pacing/time.ts';
import { createBackend } from '../support/world/backend.ts';
import { withIds, withNames } from '../support/world/ids.ts';
import { numbers, worldOf } from '../support/world/worlds.ts';

const windowMs = 10_000;

const page = withIds(
  '{ organization(id: "organization-1") { name services { name pipes { name } } } }',
);

/** The interfaces' own limits, and twelve services; what a caller sees, and when each call came. */
const start = async () => {
  const clock = stopTime();
  const backend = createBackend(
    worldOf({
      organizations: 1,
      services: 12,
      pipesPerService: 2,
      dashboards: 0,
      tilesPerDashboard: 0,
      alerts: 0,
    }),
  );
  const arrivals: number[] = [];
  const stack = await startStack({
    management: (call) => {
      arrivals.push(performance.now());
      return backend.management(call);
    },
    observability: backend.observability,
    config: paced,
  });
  onTestFinished(() => stack.close());
  const started = performance.now();
  return {
    clock,
    stack,
    ask: () => stack.query(page, { headers: { 'sluice-explain': '1' } }),
    /** How many calls came in each window since the start. */
    perWindow: (): number[] => {
      const windows = Map.groupBy(arrivals, (at) => Math.floor((at - started) / windowMs));
      return [...windows.values()].map(({ length }) => length);
    },
  };
};

interface Explained {
  readonly operation: string;
  readonly status: number;
  readonly cache: string;
  readonly waitedMilliseconds: number;
}

const wholePage = {
  organization: {
    name: 'Organization 1',
    services: numbers(12).map((number) => ({
      name: `Service ${number}`,
      pipes: [{ name: `Pipe ${2 * number - 1}` }, { name: `Pipe ${2 * number}` }],
    })),
  },
};

it('a page of fourteen calls is answered whole within two windows, and tells which calls waited', async () => {
  const { clock, stack, ask, perWindow } = await start();
  const { body } = await clock.until(ask());
  expect(body.errors).toBeUndefined();
  expect(body.data).toEqual(wholePage);

  const organization = 'GET /v1/organizations/organization-1';
  expect(stack.calls.map(({ method, path }) => `${method} ${withNames(path)}`).sort()).toEqual(
    [
      organization,
      `${organization}/services`,
      ...numbers(12).map((number) => `${organization}/services/service-${number}/pipes`),
    ].sort(),
  );
  expect(perWindow()).toEqual([10, 4]);

  const calls: readonly Explained[] = body.extensions.upstream;
  expect(calls).toHaveLength(14);
  expect(calls.every(({ status, cache }) => status === 200 && cache === 'miss')).toBe(true);
  const waited = calls.map(({ waitedMilliseconds }) => waitedMilliseconds > 0);
  expect(waited).toEqual(numbers(14).map((number) => number > 10));
  expect(calls.slice(10).map(({ operation }) => operation)).toEqual(Array(4).fill('listPipes'));
  // Those that came first have left the window again.
  expect(body.extensions.budget).toEqual({ management: 6, observability: 100 });
});

/** How many of the calls were answered from where. */
const sources = (calls: readonly Explained[]): Readonly<Record<string, number>> =>
  Object.fromEntries([...Map.groupBy(calls, ({ cache }) => cache)].map(([k, v]) => [k, v.length]));

it('a second viewer of a page that still waits costs no further call', async () => {
  const { clock, stack, ask } = await start();
  const first = ask();
  await clock.still(() => stack.calls.length === 10);
  const second = ask();
  for (const { body } of await clock.until(Promise.all([first, second]))) {
    expect(body.errors).toBeUndefined();
    expect(body.data).toEqual(wholePage);
  }
  expect(stack.calls).toHaveLength(14);
});

it('a viewer who comes when few calls are left gets the page at once, partly from kept reads', async () => {
  const { clock, stack, ask } = await start();
  await clock.until(ask());
  const { body } = await ask();
  expect(body.data).toEqual(wholePage);
  // Six calls are left, of which two are kept for what cannot be shown otherwise.
  expect(stack.calls).toHaveLength(14 + 4);
  expect(body.extensions.budget.management).toBe(2);
  expect(sources(body.extensions.upstream)).toEqual({ fresh: 5, stale: 5, miss: 4 });
  expect(body.extensions.staleSeconds).toBe(10);
});

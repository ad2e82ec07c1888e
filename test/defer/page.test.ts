import { expect, it, onTestFinished } from 'vitest';
import { paced, startStack } from '../support/harness.ts';
import { askInParts, assembled, events, multipart, type Part } from '../support/in-parts.ts';
import { stopTime } from '../support/pacing/time.ts';
import { createBackend } from '../support/world/backend.ts';
import { withIds, withNames } from '../support/world/ids.ts';
import { numbers, worldOf } from '../support/world/worlds.ts';

const windowMs = 10_000;

const world = worldOf({
  organizations: 1,
  services: 12,
  pipesPerService: 2,
  dashboards: 0,
  tilesPerDashboard: 0,
  alerts: 0,
});

const page = (directive: string) =>
  withIds(
    `{ organization(id: "organization-1") { name services { name ... ${directive} { pipes { name } } } } }`,
  );

/** The interfaces' own limits and nothing in memory; each call and when it came. */
const start = async () => {
  const clock = stopTime();
  const backend = createBackend(world);
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
    windows: () => arrivals.map((at) => Math.floor((at - started) / windowMs)),
  };
};

const pipesOf = (number: number) => [
  { name: `Pipe ${2 * number - 1}` },
  { name: `Pipe ${2 * number}` },
];

const organization = 'GET /v1/organizations/organization-1';
const wholePage = {
  organization: {
    name: 'Organization 1',
    services: numbers(12).map((number) => ({
      name: `Service ${number}`,
      pipes: pipesOf(number),
    })),
  },
};

const arrived = (parts: readonly Part[]): number =>
  parts.flatMap(({ incremental = [] }) => incremental).length;

it.each([
  ['multipart/mixed', multipart],
  ['text/event-stream', events],
])(
  'a page shows twelve services at once, and their pipes as slots come (%s)',
  async (type, accept) => {
    const { clock, stack, windows } = await start();
    const { parts, ended, head } = askInParts(stack, page('@defer'), { accept });
    await clock.still(() => arrived(parts) === 6);

    expect(parts[0]?.data).toEqual({
      organization: {
        name: 'Organization 1',
        services: numbers(12).map((number) => ({ name: `Service ${number}` })),
      },
    });
    expect(parts[0]?.hasNext).toBe(true);
    expect(head().headers['content-type']).toMatch(new RegExp(`^${type}`));
    // Deferred parts leave two slots of ten to others.
    expect(stack.calls).toHaveLength(8);

    const all = await clock.until(ended);
    const later = all.flatMap(({ incremental = [] }) => incremental);
    expect(later.toSorted((one, other) => Number(one.path[2]) - Number(other.path[2]))).toEqual(
      numbers(12).map((number) => ({
        data: { pipes: pipesOf(number) },
        path: ['organization', 'services', number - 1],
      })),
    );
    expect(all.map(({ hasNext }) => hasNext)).toEqual([...all.slice(1).map(() => true), false]);
    expect(assembled(all)).toEqual(wholePage);
    expect(stack.calls.map(({ method, path }) => `${method} ${withNames(path)}`).sort()).toEqual(
      [
        organization,
        `${organization}/services`,
        ...numbers(12).map((number) => `${organization}/services/service-${number}/pipes`),
      ].sort(),
    );
    expect(windows().filter((window) => window === 0)).toHaveLength(8);
    expect(new Set(windows())).toEqual(new Set([0, 1]));
  },
);

it('the page without @defer shows nothing until the last slot has come', async () => {
  const { clock, stack } = await start();
  const { parts, ended } = askInParts(stack, page(''));
  await clock.still(() => stack.calls.length === 10);
  clock.advance(windowMs - 1000);
  expect(parts).toEqual([]);
  expect(await clock.until(ended)).toEqual([{ data: wholePage }]);
});

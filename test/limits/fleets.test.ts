import { describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/config.ts';
import { type AnswerError, paced, startStack } from '../support/harness.ts';
import { stopTime } from '../support/pacing/time.ts';
import { createBackend } from '../support/world/backend.ts';
import { withIds } from '../support/world/ids.ts';
import { worldOf } from '../support/world/worlds.ts';

const pipeFields = 'id name state phase availableCommands source { __typename }';
const page = withIds(`{ organization(id: "organization-1") {
  services { id name state phase pipes { ${pipeFields} } }
} }`);
const list = withIds(`{ organization(id: "organization-1") {
  pipes { items { ${pipeFields} service { name } } totalCount unreadServices { service { name } code } }
} }`);

/** A gateway with its defaults but for what is given, before an organization of many services with ten pipes each. */
const startFleet = async (services: number, config: Partial<Config> = {}) => {
  const clock = stopTime();
  const sizes = { organizations: 1, services, pipesPerService: 10 };
  const none = { dashboards: 0, tilesPerDashboard: 0, alerts: 0 };
  const backend = createBackend(worldOf({ ...sizes, ...none }));
  const stack = await startStack({ ...backend, config: { ...paced, ...config } });
  onTestFinished(() => stack.close());
  const query = async (document = page) => (await clock.until(stack.query(document))).body;
  const pass = (seconds: number) =>
    clock.until(new Promise((resolve) => setTimeout(resolve, seconds * 1000)));
  return { stack, query, pass, sent: () => stack.calls.length };
};

type Body = Awaited<ReturnType<Awaited<ReturnType<typeof startFleet>>['query']>>;

/** How many services show their pipes, and how many of those. */
const shownIn = ({ data }: Body): readonly [services: number, pipes: number] => {
  const shown = data.organization.services.flatMap(({ pipes }: { pipes: [] | null }) =>
    pipes ? [pipes.length] : [],
  );
  return [shown.length, shown.reduce((sum: number, count: number) => sum + count, 0)];
};

/** The settings that the errors of fields name. */
const settingsIn = ({ errors = [] }: Body): readonly unknown[] => [
  ...new Set(
    errors.flatMap(({ path, extensions }: AnswerError) => (path ? [extensions.setting] : [])),
  ),
];

describe('an organization of 300 services with ten pipes each', () => {
  it('is answered whole with the default limits, once it has been read', async () => {
    const { query, pass, sent } = await startFleet(300);
    const first = await query();
    expect(first.extensions.progress).toEqual({ ready: 24, wanted: 301, completeInSeconds: 350 });
    // A hundred errors are shown, and one more tells how many there are beside them.
    expect(first.errors).toHaveLength(101);
    expect(first.errors.at(-1).message).toContain('177 more');
    for (let reloads = 0; reloads < 8; reloads += 1) {
      await pass(40);
      await query();
    }
    const whole = await query();
    expect(whole.errors).toBeUndefined();
    expect(shownIn(whole)).toEqual([300, 3000]);
    const before = sent();
    const { data, errors } = await query(list);
    expect(errors).toBeUndefined();
    expect(data.organization.pipes).toMatchObject({ totalCount: 3000, unreadServices: [] });
    expect(sent()).toBe(before);
  });

  it('is refused in part, with the name of the setting, where calls are not counted', async () => {
    const { query, sent } = await startFleet(300, { managementRate: undefined });
    const body = await query();
    expect(sent()).toBe(50);
    expect(shownIn(body)).toEqual([49, 490]);
    expect(settingsIn(body)).toEqual(['MAX_UPSTREAM_CALLS']);
    expect(body.errors[0].message).toContain('MAX_UPSTREAM_CALLS');
  });
});

describe('an organization that can never be shown whole', () => {
  it('says so where its answers do not fit into memory, and is not read on', async () => {
    // A quarter of it holds the pipes of 28 services.
    const { query, pass, sent } = await startFleet(60, { readCacheBytes: 1024 * 1024 });
    const first = await query();
    expect(first.extensions.progress).toEqual({ ready: 24, wanted: 61, completeInSeconds: 50 });
    await pass(30);
    const before = sent();
    expect(before).toBeLessThan(40);
    await pass(10);
    expect(sent()).toBe(before);
    // Not even after more than a minute is it begun anew.
    for (const seconds of [10, 100]) {
      await pass(seconds);
      const body = await query();
      expect(settingsIn(body)).toEqual(['READ_CACHE_MB']);
      expect(body.errors[0].message).toContain('READ_CACHE_MB');
      expect(body.extensions.progress).toBeUndefined();
      expect(shownIn(body)[0]).toBeGreaterThan(28);
    }
  });

  it('says so where it takes longer to read than anything is shown', async () => {
    const { query } = await startFleet(60, { maxStaleMs: 60_000 });
    const body = await query();
    expect(shownIn(body)).toEqual([23, 230]);
    expect(body.extensions?.progress).toBeUndefined();
    expect(settingsIn(body)).toEqual(['MAX_STALE_SECONDS']);
    expect(body.errors[0].message).toContain('MAX_STALE_SECONDS');
  });
});

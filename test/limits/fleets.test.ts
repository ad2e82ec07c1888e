import { expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { type AnswerError, paced, stackInTest } from '../support/harness.ts';
import { stopTime } from '../support/pacing/time.ts';
import { createBackend } from '../support/world/backend.ts';
import { withIds } from '../support/world/ids.ts';
import { worldOf } from '../support/world/worlds.ts';

const pipeFields = 'id name state phase availableCommands source { __typename }';
const within = (fields: string) => withIds(`{ organization(id: "organization-1") { ${fields} } }`);
const page = within(`services { id name state phase pipes { ${pipeFields} } }`);
const list = within(
  `pipes { items { ${pipeFields} service { name } } totalCount unreadServices { code } }`,
);

/** A gateway with its defaults but for what is given, before an organization of many services with ten pipes each. */
const startFleet = async (services: number, config: Partial<Config> = {}) => {
  const clock = stopTime();
  const backend = createBackend(worldOf({ services, pipesPerService: 10 }));
  const stack = await stackInTest({ ...backend, config: { ...paced, ...config } });
  const pass = (seconds: number) =>
    clock.until(new Promise((resolve) => setTimeout(resolve, seconds * 1000)));
  /** Sends the page after this number of seconds; tells how many services show their pipes, and which settings the errors of others name. */
  const ask = async (seconds = 0, document = page) => {
    await pass(seconds);
    const { body } = await clock.until(stack.query(document));
    const { data, errors = [], extensions = {} } = body;
    const located = errors.filter(({ path }: AnswerError) => path);
    const settings = new Set(located.map(({ extensions }: AnswerError) => extensions.setting));
    const shown = data.organization.services?.filter(({ pipes }: { pipes: [] }) => pipes).length;
    return { data, errors, shown, settings: [...settings], progress: extensions.progress };
  };
  return { ask, pass, sent: () => stack.calls.length };
};

it('300 services with ten pipes each are shown whole with the defaults, once all is read', async () => {
  const { ask, sent } = await startFleet(300);
  const first = await ask();
  expect(first.progress).toEqual({ ready: 24, wanted: 301, completeInSeconds: 350 });
  // A hundred errors are shown, and one more tells how many there are beside them.
  expect(first.errors).toHaveLength(101);
  expect(first.errors.at(-1).message).toContain('177 more');
  for (let reloads = 0; reloads < 8; reloads += 1) await ask(40);
  expect(await ask()).toMatchObject({ shown: 300, errors: [] });
  const before = sent();
  const { data, errors } = await ask(0, list);
  expect(errors).toEqual([]);
  expect(data.organization.pipes).toMatchObject({ totalCount: 3000, unreadServices: [] });
  expect(sent()).toBe(before);
});

it('what takes longer to read than anything is shown names the setting', async () => {
  const { ask } = await startFleet(60, { maxStaleMs: 60_000 });
  const settings = ['MAX_STALE_SECONDS'];
  expect(await ask()).toMatchObject({ shown: 23, settings, progress: undefined });
});

it('what does not fit into memory is not read on, and names the setting', async () => {
  // A quarter of it holds the pipes of 28 services.
  const { ask, pass, sent } = await startFleet(60, { readCacheBytes: 1024 * 1024 });
  expect((await ask()).progress).toEqual({ ready: 24, wanted: 61, completeInSeconds: 50 });
  await pass(30);
  const before = sent();
  expect(before).toBeLessThan(40);
  await pass(10);
  expect(sent()).toBe(before);
  // Not even after more than a minute is it begun anew.
  for (const seconds of [10, 100]) {
    const { shown, settings, progress } = await ask(seconds);
    expect([settings, progress]).toEqual([['READ_CACHE_MB'], undefined]);
    expect(shown).toBeGreaterThan(28);
  }
});

import { expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { type AnswerError, paced, stackInTest } from '../support/harness.ts';
import { stopTime } from '../support/pacing/time.ts';
import { createBackend } from '../support/world/backend.ts';
import { withIds } from '../support/world/ids.ts';
import { worldOf } from '../support/world/worlds.ts';

const pipeFields = 'id name state phase availableCommands source { __typename }';
const within = (fields: string) =>
  withIds(`{ organization(organizationId: "organization-1") { ${fields} } }`);
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
  /** Sends the page after this number of seconds, and tells how many services show their pipes. */
  const ask = async (seconds = 0, document = page) => {
    await pass(seconds);
    const { body } = await clock.until(stack.query(document));
    const { data, errors = [], extensions = {} } = body;
    const shown = data.organization.services?.filter(({ pipes }: { pipes: [] }) => pipes).length;
    return { data, errors, shown, progress: extensions.progress };
  };
  return { ask, sent: () => stack.calls.length };
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

it('an operation may ask for 2000 reads: a fleet of 1500 services is shown whole, one of 2000 not', async () => {
  const managementRate = { calls: 200, windowMs: 10_000 };
  const { ask } = await startFleet(1500, { managementRate });
  for (const seconds of [0, 55]) await ask(seconds);
  expect(await ask(20)).toMatchObject({ shown: 1500, errors: [] });

  const large = await startFleet(2010, { managementRate });
  const { errors, progress } = await large.ask();
  expect(progress.wanted).toBe(2000);
  const refused = errors.filter(
    ({ extensions }: AnswerError) => extensions.code === 'UPSTREAM_BUDGET_EXCEEDED',
  );
  // They come before the hundreds that only tell to wait.
  expect(refused).toEqual(errors.slice(0, 11));
  expect(refused[0]?.message).toContain('has already asked for 2000 upstream reads');
  // On a busy machine it takes longer than most tests.
}, 300_000);

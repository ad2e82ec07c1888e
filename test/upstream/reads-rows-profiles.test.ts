import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { managementOperations } from '../../src/upstream/management/operations.ts';
import { observabilityOperations } from '../../src/upstream/observability/operations.ts';
import type { AnyOperation } from '../../src/upstream/operation.ts';
import { allReads } from '../support/upstream/cache-operations.ts';
import { profileReads, profileWrites } from '../support/upstream/cache-operations-profiles.ts';
import { startWorld, type World } from '../support/upstream/cache-world.ts';

vi.mock(
  '../../src/upstream/sending/send.ts',
  () => import('../support/upstream/simulated-transport.ts'),
);

const caller = { management: 'Basic a2V5OnNlY3JldA==', observability: 'Bearer token' };

let world: World;
beforeEach(() => {
  world = startWorld({
    ...{ maxRetries: 0, managementProfile: 'clickhouse-cloud', observabilityProfile: 'hyperdx' },
  });
});
afterEach(() => world.close());

const reads = { ...allReads, ...profileReads };

/** Does all reads at once, and gives the names of those for which a call was sent. */
const reading = async (): Promise<readonly string[]> => {
  const sent = Promise.all(
    Object.entries(reads).map(async ([name, does]) => {
      const request = world.ask(caller);
      await does(request);
      return request.caller.calls.list().some(({ cache }) => cache === 'miss') ? [name] : [];
    }),
  );
  return (await world.until(sent, 100)).flat();
};

it.each(profileWrites)('$name has read anew what it changes, and nothing else', async (write) => {
  expect(await reading()).toEqual(Object.keys(reads));
  expect(await reading()).toEqual([]);
  await world.once(caller, write.does);
  expect(await reading()).toEqual(write.drops);
  expect(await reading()).toEqual([]);
});

it('every operation of some profiles alone is among these', () => {
  const rows = Object.entries<AnyOperation>({
    ...managementOperations('command'),
    ...observabilityOperations,
  }).filter(([, { onlyIn }]) => onlyIn !== undefined);
  const names = [...profileWrites.map(({ name }) => name), ...Object.keys(profileReads)];
  expect(names.sort()).toEqual(rows.map(([name]) => name).sort());
});

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readKinds, writeKinds } from '../support/upstream/kinds.ts';
import { latency, startWorld, type World } from '../support/upstream/reads-world.ts';
import type { Asking } from '../support/upstream/simulated.ts';

vi.mock(
  '../../src/upstream/sending/send.ts',
  () => import('../support/upstream/simulated-transport.ts'),
);

const caller = { management: 'Basic a2V5OnNlY3JldA==', observability: 'Bearer token' };
const other = { management: 'Basic b3RoZXI6c2VjcmV0', observability: 'Bearer other' };

let world: World;
beforeEach(() => {
  world = startWorld({
    ...{ maxRetries: 0, managementProfile: 'clickhouse-cloud', observabilityProfile: 'hyperdx' },
  });
});
afterEach(() => world.close());

/** Does all reads at once, and gives the paths of those for which a call was sent. */
const reading = async (by: Asking, milliseconds = 100): Promise<readonly string[]> => {
  const all = readKinds.map(async ({ path, read }) => {
    const request = world.ask(by);
    await read(request);
    return request.caller.calls.list().some(({ cache }) => cache === 'miss') ? [path] : [];
  });
  return (await world.until(Promise.all(all), milliseconds)).flat();
};

const pathsOf = (which: (kind: (typeof readKinds)[number]) => boolean): readonly string[] =>
  readKinds.filter(which).map(({ path }) => path);

it.each([...new Set(readKinds.map(({ freshSeconds }) => freshSeconds))])(
  'the reads that are fresh for %i seconds are so from their answer, and no longer',
  async (seconds) => {
    expect(await reading(caller, latency + 1)).toEqual(pathsOf(() => true));
    await world.clock.advance(seconds * 1000 - 10);
    const before = await reading(caller);
    expect(before).toEqual(pathsOf(({ freshSeconds }) => freshSeconds < seconds));
    await world.clock.advance(20);
    const after = await reading(caller);
    expect(after).toEqual(pathsOf(({ freshSeconds }) => freshSeconds === seconds));
  },
);

it.each(writeKinds)(
  '$name drops what it changes ($changes) and nothing else, in management for all credentials',
  async ({ upstream, changes, write }) => {
    await reading(caller);
    await reading(other);
    await world.once(caller, write);
    const changed = pathsOf(({ path }) => changes.includes(path));
    expect(await reading(caller)).toEqual(changed);
    expect(await reading(other)).toEqual(upstream === 'management' ? changed : []);
    expect(await reading(caller)).toEqual([]);
  },
);

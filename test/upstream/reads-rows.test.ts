import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { managementOperations } from '../../src/upstream/management/operations.ts';
import { observabilityOperations } from '../../src/upstream/observability/operations.ts';
import {
  profileReadKinds,
  profileWriteKinds,
  readKinds,
  writeKinds,
} from '../support/upstream/kinds.ts';
import { answerWith, latency, startWorld, type World } from '../support/upstream/reads-world.ts';
import type { Asking } from '../support/upstream/simulated.ts';

vi.mock(
  '../../src/upstream/sending/send.ts',
  () => import('../support/upstream/simulated-transport.ts'),
);

const caller = { management: 'Basic a2V5OnNlY3JldA==', observability: 'Bearer token' };
const other = { management: 'Basic b3RoZXI6c2VjcmV0', observability: 'Bearer other' };
const reads = [...readKinds, ...profileReadKinds];
const writes = [...writeKinds, ...profileWriteKinds];

let world: World;
/** The names of the operations that were sent. */
const sent = new Set<string>();
beforeEach(() => {
  world = startWorld({
    ...{ maxRetries: 0, managementProfile: 'clickhouse-cloud', observabilityProfile: 'hyperdx' },
  });
  world.answerAll((received, number) => {
    sent.add(received.call.row.name);
    answerWith(received, number);
  });
});
afterEach(() => world.close());

/** Does all reads at once, and gives the paths of those for which a call was sent. */
const reading = async (by: Asking, milliseconds = 100): Promise<readonly string[]> => {
  const all = reads.map(async ({ path, read }) => {
    const request = world.ask(by);
    await read(request);
    return request.caller.calls.list().some(({ cache }) => cache === 'miss') ? [path] : [];
  });
  return (await world.until(Promise.all(all), milliseconds)).flat();
};

const pathsOf = (which: (kind: (typeof reads)[number]) => boolean): readonly string[] =>
  reads.filter(which).map(({ path }) => path);

it.each([3, 5, 10, 30])(
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

it.each(writes)(
  '$name drops what it changes ($changes) and nothing else, in management for all credentials',
  async ({ upstream, changes, write }) => {
    await reading(caller);
    await reading(other);
    await world.once(caller, write);
    const changed = pathsOf(({ shows }) => shows.some((part) => changes.includes(part)));
    expect(await reading(caller)).toEqual(changed);
    expect(await reading(other)).toEqual(upstream === 'management' ? changed : []);
    expect(await reading(caller)).toEqual([]);
  },
);

it('every operation is among these', () => {
  const rows = { ...managementOperations('command'), ...observabilityOperations };
  expect([...sent].sort()).toEqual(Object.keys(rows).sort());
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BriefMap } from '../src/brief-map.ts';
import { run } from './run-main.ts';

it('is a Map, whatever comes and goes', () => {
  const key = fc.integer({ min: 0, max: 90 });
  const step = fc.record({ call: fc.constantFrom('set' as const, 'delete' as const), key });
  fc.assert(
    fc.property(fc.array(step, { minLength: 100, maxLength: 600, size: 'max' }), (steps) => {
      const brief = new BriefMap<number, object>();
      const map = new Map<number, object>();
      for (const { call, key } of steps) {
        if (call === 'set') {
          const value = {};
          brief.set(key, value);
          map.set(key, value);
        } else expect(brief.delete(key)).toBe(map.delete(key));
        expect(brief.get(key)).toBe(map.get(key));
      }
      for (let each = 0; each <= 90; each += 1) expect(brief.get(each)).toBe(map.get(each));
    }),
    { numRuns: 200 },
  );
});

const moduleAt = (path: string): string => JSON.stringify(new URL(path, import.meta.url));

/**
 * Has 32 of something under way at any time, 50 000 in all, once their tables have grown old. Prints by how many
 * bytes the old generation has grown meanwhile, full collections left out.
 *
 * @param begin makes `begin(number)`, which gives what ends it
 */
const growthOf = (begin: string): string => `
  import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  import { BriefMap } from ${moduleAt('../src/brief-map.ts')};
  import { CancellationSource } from ${moduleAt('../src/upstream/cancellation.ts')};
  import { createInFlight } from ${moduleAt('../src/upstream/in-flight.ts')};
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  const begin = ${begin};
  const old = () =>
    getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space').space_used_size;
  const ends = Array(32).fill(() => undefined);
  let number = 0;
  let size = 0;
  let grown = 0;
  const churn = async (times) => {
    for (let count = 0; count < times; count += 1) {
      ends[number % 32]();
      ends[number % 32] = begin(number);
      number += 1;
      if (number % 100 === 0) await undefined;
      if (number % 2000 > 0) continue;
      collect({ type: 'minor' });
      // V8 may choose to make a full collection too, after which it is less.
      grown += Math.max(0, old() - size);
      size = old();
    }
  };
  await churn(10_000);
  collect();
  collect();
  size = old();
  grown = 0;
  await churn(50_000);
  console.log('grown by', grown);
`;

const inMap = (made: string): string => `(() => {
  const map = ${made};
  return (number) => {
    map.set(number, Array.from({ length: 30 }, () => number));
    return () => map.delete(number);
  };
})()`;

const inFlight = (credentials: number): string => `(() => {
  const reads = createInFlight();
  return (number) => {
    let settle;
    const read = { start: (_, __, each) => { settle = each; }, ended() {}, givenUp: () => new Error() };
    const caller = new CancellationSource();
    reads.join('credential ' + (number % ${credentials}), '/' + number, caller, read);
    return () => settle.resolve([number]);
  };
})()`;

const measure = async (begin: string): Promise<number> => {
  const { text } = await run({}, [process.execPath, '--input-type=module', '-e', growthOf(begin)])
    .ended;
  return Number(/^grown by (\d+)$/m.exec(text)?.[1]);
};

it('keeps nothing that has left from the collection of what is young, as a Map does', async () => {
  expect(await measure(inMap('new Map()'))).toBeGreaterThan(4e6);
  expect(await measure(inMap('new BriefMap()'))).toBeLessThan(1e6);
});

it.each([1, 4, 50])(
  'reads in flight leave nothing to grow old, of %i credentials',
  async (credentials) => {
    expect(await measure(inFlight(credentials))).toBeLessThan(3e6);
  },
);

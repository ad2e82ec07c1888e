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

const briefMap = JSON.stringify(new URL('../src/brief-map.ts', import.meta.url));

/**
 * Lets a map grow old, and then 100 000 entries of some 250 bytes come and go, 32 at a time.
 * Prints by how many bytes the old generation has grown without a full collection.
 */
const growthOf = (map: string): string => `
  import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  const { BriefMap } = await import(${briefMap});
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  const map = ${map};
  const old = () =>
    getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space').space_used_size;
  const churn = (times) => {
    for (let count = 0; count < times; count += 1) {
      map.set(count % 32, Array.from({ length: 30 }, () => count));
      map.delete((count + 1) % 32);
      if (count % 2000 === 0) collect({ type: 'minor' });
    }
  };
  churn(10_000);
  collect();
  collect();
  const before = old();
  churn(100_000);
  collect({ type: 'minor' });
  collect({ type: 'minor' });
  console.log('grown by', old() - before);
`;

const measure = async (map: string): Promise<number> => {
  const { text } = await run({}, [process.execPath, '--input-type=module', '-e', growthOf(map)])
    .ended;
  return Number(/^grown by (-?\d+)$/m.exec(text)?.[1]);
};

it('keeps nothing that has left from the garbage collection of what is young, which a Map does', async () => {
  expect(await measure('new Map()')).toBeGreaterThan(4e6);
  expect(await measure('new BriefMap()')).toBeLessThan(1e6);
});

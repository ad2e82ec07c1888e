import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SmallMap } from '../src/small.ts';

const key = fc.constantFrom('', 'a', 'b', 'c');
const step = fc.oneof(
  fc.record({ call: fc.constantFrom('get' as const, 'has' as const, 'delete' as const), key }),
  fc.record({ call: fc.constant('set' as const), key, value: fc.integer() }),
  fc.record({ call: fc.constant('clear' as const) }),
);

it('is a Map, whatever is done with it', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const small = new SmallMap<string, number>();
      const map = new Map<string, number>();
      for (const each of steps) {
        if (each.call === 'set') {
          small.set(each.key, each.value);
          map.set(each.key, each.value);
        } else if (each.call === 'clear') {
          small.clear();
          map.clear();
        } else {
          expect(small[each.call](each.key)).toBe(map[each.call](each.key));
        }
        expect([small.size, small.keys()]).toEqual([map.size, [...map.keys()]]);
      }
    }),
    { numRuns: 2000 },
  );
});

it('tells objects apart by what they are', () => {
  const [one, other] = [{}, {}];
  const small = new SmallMap<object, string>();
  small.set(one, 'one');
  expect([small.get(one), small.get(other)]).toEqual(['one', undefined]);
  small.set(other, 'other');
  expect([small.get(one), small.get(other)]).toEqual(['one', 'other']);
});

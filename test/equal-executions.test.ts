import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  absent,
  given,
  operationOf,
  plain,
  refused,
  start,
  taking,
  type Wish,
} from './waiting-executions.ts';

describe('queries that share nothing:', () => {
  const basic = { management: given('Basic two') };
  it.each<[string, Wish, Wish]>([
    ['another credential of one upstream', basic, {}],
    ['another credential of the other', { observability: given('Bearer two') }, {}],
    ['no credential of one upstream', { observability: absent }, {}],
    ['a refused one and none', { management: refused }, { management: absent }],
    ['refused ones', { observability: refused }, { observability: refused }],
    ['the same value for another upstream', { management: absent }, { observability: absent }],
    ['another operation', { operation: taking }, {}],
    [
      'the same text made anew',
      { operation: operationOf('{ a }') },
      { operation: operationOf('{ a }') },
    ],
    [
      'null and nothing',
      { operation: taking, variables: { a: null } },
      { operation: taking, variables: {} },
    ],
    [
      'a text and a number',
      { operation: taking, variables: { a: '1' } },
      { operation: taking, variables: { a: 1 } },
    ],
    [
      'a variable of an odd name',
      { operation: taking, variables: JSON.parse('{"__proto__":"1"}') },
      { operation: taking, variables: JSON.parse('{"__proto__":"2"}') },
    ],
  ])('%s', (_, one, other) => {
    const { log, want } = start();
    want(one);
    want(other);
    expect(log.executed).toEqual([1, 2]);
  });
});

// Few values each, so that many are equal.
const wishes = fc.record({
  operation: fc.constantFrom(plain, taking),
  management: fc.constantFrom(given('Basic one'), given('Basic two'), absent),
  observability: fc.constantFrom(given('Bearer one'), absent),
  variables: fc.option(
    fc.record(
      {
        a: fc.constantFrom('1', 1, null),
        b: fc.constantFrom({ state: 'OK', name: 'x' }, { name: 'x', state: 'OK' }, { name: 'x' }),
        unused: fc.nat(),
      },
      { requiredKeys: [] },
    ),
  ),
});
type Asked = typeof wishes extends fc.Arbitrary<infer Each> ? Each : never;

/** What tells two apart, written down as text: members in one order, and those alone that the operation takes. */
const identityOf = ({ operation, management, observability, variables }: Asked): string => {
  const { a, b } = (operation === taking && variables) || {};
  const filter = b && ['name' in b && b.name, 'state' in b && b.state];
  const taken = [a === undefined ? [] : [a], b === undefined ? [] : [filter]];
  return JSON.stringify([operation === taking, management, observability, taken]);
};

it('queries share an execution if all is equal that makes a difference, and otherwise never', () => {
  fc.assert(
    fc.property(fc.array(wishes, { maxLength: 40 }), (asked) => {
      const { log, want } = start();
      const first = new Map<string, number>();
      for (const [index, each] of asked.entries()) {
        const number = index + 1;
        want(each);
        const anonymous = each.management.kind === 'absent' && each.observability.kind === 'absent';
        const identity = anonymous ? `${number}` : identityOf(each);
        if (!first.has(identity)) first.set(identity, number);
      }
      expect(log.executed).toEqual([...first.values()]);
    }),
    { numRuns: 500 },
  );
});

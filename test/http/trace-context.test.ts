import { describe, expect, it } from 'vitest';
import { isTraceState, traceHeadersOf } from '../../src/request/trace-context.ts';

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const headersOf = (state: string): readonly string[] =>
  traceHeadersOf((name) => (name === 'traceparent' ? parent : state));

describe('tracestate is passed on', () => {
  it.each([
    ['one member', 'a=b'],
    ['members with blanks and tabs around commas', 'a=b ,\tc=d\t \t, e=f'],
    ['blanks within a value', 'a=b c'],
    ['a tenant in a key', 'tenant@vendor=value'],
    ['32 members', Array.from({ length: 32 }, (_, index) => `k${index}=v`).join(',')],
    ['a value of 256 characters', `a=${'v'.repeat(256)}`],
    ['512 characters', `a=${'v'.repeat(253)},b=${'v'.repeat(254)}`],
  ])('with %s', (_, state) => {
    expect(state.length).toBeLessThanOrEqual(512);
    expect(headersOf(state)).toEqual(['traceparent', parent, 'tracestate', state]);
  });
});

describe('tracestate is left out', () => {
  it.each([
    ['nothing in it', ''],
    ['no value', 'a='],
    ['no key', '=b'],
    ['an upper-case key', 'A=b'],
    ['an empty member', 'a=b,,c=d'],
    ['two signs of equality', 'a=b=c'],
    ['a line end', 'a=b\nc'],
    ['another blank around a comma', 'a=b,\u00a0c=d'],
    ['33 members', Array.from({ length: 33 }, (_, index) => `k${index}=v`).join(',')],
    ['a value of 257 characters', `a=${'v'.repeat(257)}`],
    ['513 characters', `a=${'v'.repeat(254)},b=${'v'.repeat(254)}`],
  ])('with %s', (_, state) => {
    expect(headersOf(state)).toEqual(['traceparent', parent]);
  });
});

it.each([
  ['blanks that belong to a value or to the list', `${'a=b        ,'.repeat(12)}=`],
  ['the same, of 512 characters', `${'a=b        ,'.repeat(42)}=`],
  ['tabs and blanks', `${'a=b \t \t \t,'.repeat(46)}=`],
  ['200 000 blanks', `a=b${' '.repeat(200_000)},=`],
  ['100 000 members', 'a=b,'.repeat(100_000)],
])('a tracestate made to hurt is refused: %s', (_, state) => {
  expect(isTraceState(state)).toBe(false);
});

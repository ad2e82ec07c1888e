import { expect, it } from 'vitest';
import { traceHeadersOf } from '../../src/request/trace-context.ts';

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const members = (count: number) => Array.from({ length: count }, (_, at) => `k${at}=v`).join(',');
const two = (length: number) => `a=${'v'.repeat(length)},b=${'v'.repeat(254)}`;

it.each([
  ['one member', 'a=b', true],
  ['members with blanks and tabs around commas', 'a=b ,\tc=d\t \t, e=f', true],
  ['blanks within a value', 'a=b c', true],
  ['a tenant in a key', 'tenant@vendor=value', true],
  ['32 members', members(32), true],
  ['a value of 256 characters', `a=${'v'.repeat(256)}`, true],
  ['512 characters', two(253), true],
  ['nothing in it', '', false],
  ['no value', 'a=', false],
  ['no key', '=b', false],
  ['an upper-case key', 'A=b', false],
  ['an empty member', 'a=b,,c=d', false],
  ['two signs of equality', 'a=b=c', false],
  ['a line end', 'a=b\nc', false],
  ['another blank around a comma', 'a=b,\u00a0c=d', false],
  ['33 members', members(33), false],
  ['a value of 257 characters', `a=${'v'.repeat(257)}`, false],
  ['513 characters', two(254), false],
  ['blanks that belong to a value or to the list', `${'a=b        ,'.repeat(42)}=`, false],
  ['tabs and blanks', `${'a=b \t \t \t,'.repeat(46)}=`, false],
  ['200 000 blanks', `a=b${' '.repeat(200_000)},=`, false],
])('a tracestate with %s', (_, state, isPassedOn) => {
  const headers = traceHeadersOf((name) => (name === 'traceparent' ? parent : state));
  expect(headers).toEqual(['traceparent', parent, ...(isPassedOn ? ['tracestate', state] : [])]);
});

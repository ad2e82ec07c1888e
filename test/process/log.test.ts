import { expect, it } from 'vitest';
import { errorFacts } from '../../src/log.ts';

it.each([
  ['a message', 'cnry'],
  ['a line of it that looks like a place', 'bad\n    at cnry (cnry.ts:1:1)\nworse'],
  ['nothing but such a line', '\n  at cnry'],
  ['no message', ''],
])('of an error with %s its kind is logged, and where it arose', (_, message) => {
  const { kind, at } = errorFacts(new RangeError(message));
  expect(kind).toBe('RangeError');
  expect(at).toMatch(/^at (?!cnry).*log\.test\.ts:\d+:\d+\)?$/);
});

it('of others only the kind is logged', () => {
  const error = new Error('bad\n    at cnry');
  // The stack is put together when it is first asked for, and then has another message.
  expect(error.stack).toContain('cnry');
  error.message = 'better';
  expect(errorFacts(error)).toEqual({ kind: 'Error', at: undefined });
  expect(errorFacts('cnry')).toEqual({ kind: 'string', at: undefined });
});

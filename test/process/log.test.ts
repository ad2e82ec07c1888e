import { describe, expect, it } from 'vitest';
import { errorFacts } from '../../src/log.ts';

describe('of an error is logged', () => {
  it('its kind, and where it arose', () => {
    const { kind, at } = errorFacts(new RangeError('cnry'));
    expect(kind).toBe('RangeError');
    expect(at).toMatch(/^at .*log\.test\.ts:\d+:\d+\)?$/);
  });

  it.each([
    ['a line of its message that looks like a place', 'bad\n    at cnry (cnry.ts:1:1)\nworse'],
    ['a message that is nothing but such a line', '\n  at cnry'],
    ['no message', ''],
  ])('nothing of %s', (_, message) => {
    expect(errorFacts(new Error(message)).at).toMatch(/^at (?!cnry).*log\.test\.ts:\d+:\d+\)?$/);
  });

  it('no place where its message has become another since', () => {
    const error = new Error('bad\n    at cnry');
    // The stack is put together when it is first asked for.
    expect(error.stack).toContain('cnry');
    error.message = 'better';
    expect(errorFacts(error)).toEqual({ kind: 'Error', at: undefined });
  });

  it('the type of a thrown value that is no Error', () => {
    expect(errorFacts('cnry')).toEqual({ kind: 'string', at: undefined });
  });
});

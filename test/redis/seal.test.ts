import { expect, it } from 'vitest';
import { createSeal } from '../../src/redis/seal.ts';

const secret = 'a secret that all replicas have in common';
const seal = createSeal(secret);
const text = Buffer.from('{"connectionString":"postgres://user:password@host"}');
const closed = seal.close('Bearer one', 'context', text);

it.each([
  ['with the same secret, credential and context', 'Bearer one', 'context', secret, text],
  ['not with another credential', 'Bearer two', 'context', secret],
  ['not with another spelling of the credential', 'bearer one', 'context', secret],
  ['not with another context', 'Bearer one', 'Context', secret],
  ['not with another secret', 'Bearer one', 'context', `${secret}.`],
])('what is sealed is opened %s', (_, credential, context, of, opened?: Buffer) => {
  expect(createSeal(of).open(credential, context, closed)).toEqual(opened);
});

it('what is sealed is not opened once any bit of it has changed, or any of it is missing', () => {
  for (let bit = 0; bit < closed.length * 8; bit += 1) {
    const changed = Buffer.from(closed);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(seal.open('Bearer one', 'context', changed)).toBeUndefined();
  }
  for (let length = 0; length < closed.length; length += 1) {
    expect(seal.open('Bearer one', 'context', closed.subarray(0, length))).toBeUndefined();
  }
});

it('what is sealed is another text each time, of which nothing can be read', () => {
  const again = seal.close('Bearer one', 'context', text);
  expect(again.subarray(0, 12).equals(closed.subarray(0, 12))).toBe(false);
  expect(again.toString('latin1')).not.toMatch(/connection|postgres|context|Bearer/);
});

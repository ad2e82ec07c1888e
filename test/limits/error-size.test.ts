import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutQuotedInput } from '../../src/errors/quoted-input.ts';
import { pieces } from '../support/limits/pieces.ts';

/** What a message may be at most: its limit, and the sentence that stands in place of a longer one. */
const longestMessage = 2100;

describe('what stands for a message', () => {
  const phrase = fc.constantFrom(
    ...pieces,
    'Variable "$v" got invalid value ',
    'Int cannot represent ',
    'Enum "X" cannot represent value: ',
    'Expected value of type "',
    'Exactly one key must be specified',
    ', found ',
    '. Found: ',
    'BlockString "',
    ...['"', '{', '\n', '\u2028', 'é'],
  );
  const run = fc.tuple(phrase, fc.integer({ min: 1, max: 400 })).map(([text, n]) => text.repeat(n));
  const message = fc
    .array(fc.oneof({ weight: 6, arbitrary: phrase }, run, fc.string({ maxLength: 40 })), {
      maxLength: 60,
    })
    .map((parts) => parts.join(''));

  it('is short, whatever the message, and however long', () => {
    fc.assert(
      fc.property(message, fc.constantFrom(1, 20_000), (text, times) => {
        const long = text.repeat(Math.min(times, Math.ceil(1_000_000 / (text.length + 1))));
        return withoutQuotedInput(long).length <= longestMessage;
      }),
      { numRuns: 1000 },
    );
  });

  it.each([1990, 1999, 2000, 2001, 2100])('is short for %i characters of a phrase', (length) => {
    for (const text of [...pieces, 'Variable "$v" got invalid value "x', 'Syntax Error: Int "']) {
      const cut = text.repeat(length).slice(0, length);
      expect(withoutQuotedInput(cut).length).toBeLessThanOrEqual(longestMessage);
    }
  });

  it('still names a variable whose value is too long to show', () => {
    const text = `Variable "$input" got invalid value ${'x'.repeat(300_000)}; it does not fit.`;
    expect(withoutQuotedInput(text)).toMatch(/^(?!.*xx).*"\$input"/);
  });
});

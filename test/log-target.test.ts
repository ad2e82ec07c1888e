import fc from 'fast-check';
import { expect, it } from 'vitest';
import { linesTogether } from '../src/log-target.ts';

const undivided = 4096;

it('takes as many lines as stay together, or one that is too long', () => {
  const line = fc
    .oneof(fc.nat(200), fc.integer({ min: undivided - 3, max: undivided + 3 }), fc.nat(9000))
    .map((length) => `${'é'.repeat(length % 7)}${'x'.repeat(length)}\n`);
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 60 }), (lines) => {
      const all = Buffer.from(lines.join(''));
      const pieces: string[] = [];
      for (let rest: Uint8Array = all; rest.length > 0; ) {
        const piece = linesTogether(rest);
        const text = Buffer.from(piece).toString();
        expect(text.endsWith('\n')).toBe(true);
        const fits = piece.length <= undivided;
        expect(fits || text.indexOf('\n') === text.length - 1).toBe(true);
        const next = rest.indexOf(0x0a, piece.length) + 1;
        // No more would have fitted.
        if (fits && next > 0) expect(next).toBeGreaterThan(undivided);
        pieces.push(text);
        rest = rest.subarray(piece.length);
      }
      expect(pieces.join('')).toBe(lines.join(''));
    }),
  );
});

it('takes all of what has no end of a line', () => {
  const bytes = new Uint8Array(10_000).fill(0x78);
  expect(linesTogether(bytes)).toBe(bytes);
});

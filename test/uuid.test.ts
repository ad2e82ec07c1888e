import { expect, it } from 'vitest';
import { createUuid } from '../src/uuid.ts';

it('makes UUIDs of version 4 that never come twice, each digit as often as any other', () => {
  const made = Array.from({ length: 20_000 }, createUuid);
  expect(new Set(made).size).toBe(made.length);
  const form = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  expect(made.filter((uuid) => !form.test(uuid))).toEqual([]);
  for (let at = 0; at < 36; at += 1) {
    const counts = new Map<string, number>();
    for (const { [at]: digit = '' } of made) counts.set(digit, (counts.get(digit) ?? 0) + 1);
    const kinds = [8, 13, 18, 23, 14].includes(at) ? 1 : at === 19 ? 4 : 16;
    expect(counts.size).toBe(kinds);
    // Six standard deviations.
    const mean = made.length / kinds;
    for (const count of counts.values())
      expect(Math.abs(count - mean)).toBeLessThan(6 * Math.sqrt(mean));
  }
});

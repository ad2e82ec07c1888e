import { afterEach, expect, it, vi } from 'vitest';
import { data, paced, startStack } from '../support/harness.ts';

afterEach(() => vi.useRealTimers());

const now = Date.parse('2026-11-25T12:00:00Z');

/** Alerts as a gateway shows them that keeps what it has read, at some minutes of its clock. */
const shownAt = async (silenced: unknown, minutes: readonly number[]) => {
  vi.useFakeTimers({ toFake: ['Date'], now });
  const stack = await startStack({
    management: () => data([]),
    observability: () => data([{ id: 'a1', silenced }]),
    config: paced,
  });
  const shown: unknown[] = [];
  for (const minute of minutes) {
    vi.setSystemTime(now + minute * 60_000);
    const { body } = await stack.query('{ alerts { silenced silencedUntil } }');
    shown.push([body.data.alerts[0].silenced, body.data.alerts[0].silencedUntil]);
  }
  await stack.close();
  return { shown, calls: stack.calls.length };
};

it('a silence ends at its time, also where the alert is kept in memory', async () => {
  const until = '2026-11-25T12:30:00.000Z';
  expect(await shownAt({ by: 'u1', until }, [0, 29, 30, 31])).toEqual({
    shown: [
      [true, until],
      [true, until],
      [false, until],
      [false, until],
    ],
    calls: 1,
  });
});

it.each<[string, unknown, boolean | null, string | null]>([
  ['without an end', { by: 'u1' }, true, null],
  ['whose end is null', { by: 'u1', until: null }, true, null],
  ['that is a boolean', true, true, null],
  ['that is none', false, false, null],
  ['that is absent', undefined, null, null],
])('a silence %s', async (_, silenced, isSilenced, until) => {
  expect((await shownAt(silenced, [0])).shown).toEqual([[isSilenced, until]]);
});

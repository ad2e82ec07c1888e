import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { data, paced, startStack } from '../support/harness.ts';

afterEach(() => vi.useRealTimers());

const now = Date.parse('2026-11-25T12:00:00Z');
const until = '2026-11-25T12:30:00.000Z';

/** An alert as a gateway shows it that keeps what it has read, at some minutes of its clock. */
it.each<
  [
    title: string,
    silenced: unknown,
    minutes: readonly number[],
    shown: readonly unknown[],
    end: string | null,
  ]
>([
  ['that ends', { by: 'u1', until }, [0, 29, 30, 31], [true, true, false, false], until],
  ['without an end', { by: 'u1' }, [0], [true], null],
  ['whose end is null', { by: 'u1', until: null }, [0], [true], null],
  ['of an empty object', {}, [0], [true], null],
  ['that is a boolean', true, [0], [true], null],
  ['that is none', false, [0], [false], null],
  ['that is absent', undefined, [0], [null], null],
])('a silence %s', async (_, silenced, minutes, shown, end) => {
  vi.useFakeTimers({ toFake: ['Date'], now });
  const alert = { id: 'a1', silenced, dashboard: 'd1' };
  const stack = await startStack({
    management: () => data([]),
    observability: ({ path }) => data(path.endsWith('/alerts') ? [alert] : { ...alert, id: 'd1' }),
    config: paced,
  });
  onTestFinished(() => stack.close());
  for (const [at, minute] of minutes.entries()) {
    vi.setSystemTime(now + minute * 60_000);
    const { body } = await stack.query('{ alerts { silenced silencedUntil } }');
    expect(body.data.alerts).toEqual([{ silenced: shown[at], silencedUntil: end }]);
  }
  expect(stack.callList()).toEqual(['GET /api/v2/alerts']);
  const below = await stack.query('{ dashboard(id: "d1") { alerts { silenced } } }');
  expect(below.body.data.dashboard.alerts).toEqual([{ silenced: shown.at(-1) }]);
});

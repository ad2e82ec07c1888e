import { afterEach, expect, it, vi } from 'vitest';
import { data, paced, stackInTest } from '../support/harness.ts';

afterEach(() => vi.useRealTimers());

const now = Date.parse('2026-11-25T12:00:00Z');
const until = '2026-11-25T12:30:00.000Z';

/** A silence, and whether an alert is shown as silenced at some minutes by a gateway that keeps its reads. */
type Row = [
  silenced: unknown,
  shown: Readonly<Record<number, boolean | null>>,
  end?: string | null,
];
it.each<Row>([
  [{ by: 'u1', until }, { 0: true, 29: true, 30: false, 31: false }, until],
  [{ by: 'u1' }, { 0: true }],
  [{ by: 'u1', until: null }, { 0: true }],
  [{}, { 0: true }],
  [true, { 0: true }],
  [false, { 0: false }],
  [undefined, { 0: null }],
])('an alert with the silence %j is silenced as by %j', async (silenced, shown, end = null) => {
  vi.useFakeTimers({ toFake: ['Date'], now });
  const alert = { id: 'a1', silenced, dashboard: 'd1' };
  const stack = await stackInTest({
    observability: ({ path }) => data(path.endsWith('/alerts') ? [alert] : { ...alert, id: 'd1' }),
    config: paced,
  });
  for (const [minute, isSilenced] of Object.entries(shown)) {
    vi.setSystemTime(now + Number(minute) * 60_000);
    const { body } = await stack.query('{ alerts { silenced silencedUntil } }');
    expect(body.data.alerts).toEqual([{ silenced: isSilenced, silencedUntil: end }]);
  }
  expect(stack.callList()).toEqual(['GET /api/v2/alerts']);
  const below = await stack.query('{ dashboard(dashboardId: "d1") { alerts { silenced } } }');
  const last = Object.values(shown).at(-1);
  expect(below.body.data.dashboard.alerts).toEqual([{ silenced: last }]);
});

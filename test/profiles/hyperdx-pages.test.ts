import { expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { type Answering, json, paced } from '../support/harness.ts';
import { createAlerts } from '../support/profiles/hyperdx-alerts.ts';
import {
  alertsOf,
  dashboardId,
  type Era,
  type Members,
} from '../support/profiles/hyperdx-records.ts';
import { startHyperdx } from '../support/profiles/hyperdx-stack.ts';
import { subscribe } from '../support/subscribe.ts';

const [first = {}] = alertsOf.H;
const idOf = (number: number): string => `65f5e4a3b9e77c${String(number).padStart(10, '0')}`;

/** As many alerts as that; the last one is alone on its dashboard. */
const alerts = (count: number, era: Era = 'H'): readonly Members[] =>
  Array.from({ length: count }, (_, at) => ({
    ...first,
    id: idOf(at),
    [era === 'H' ? 'dashboardId' : 'dashboard']: at === count - 1 ? dashboardId : idOf(9999),
  }));

const start = async (
  options: { readonly count?: number; readonly era?: Era; readonly config?: Partial<Config> } = {},
) => {
  const { count = 1021, era = 'H', config = {} } = options;
  const server = createAlerts(era, alerts(count, era));
  return { ...server, stack: await startHyperdx(server.answering, config) };
};

const pages = ['GET /api/v2/alerts', 'GET /api/v2/alerts?limit=1000&offset=999'];

it('reads all of 1021 alerts, and each page once', async () => {
  const { stack } = await start();
  const { body } = await stack.query(`{
    alerts { id }
    last: alerts(filter: { dashboardId: "${dashboardId}" }) { id }
    dashboard(id: "${dashboardId}") { alerts { id } }
  }`);
  expect(body.errors).toBeUndefined();
  expect(body.data.alerts.map(({ id }: { readonly id: string }) => id)).toEqual(
    alerts(1021).map(({ id }) => id),
  );
  expect(body.data.last).toEqual([{ id: idOf(1020) }]);
  expect(body.data.dashboard).toEqual({ alerts: [{ id: idOf(1020) }] });
  expect(stack.callList()).toEqual(pages);
});

it.each<[string, number, Era, number]>([
  ['1000 alerts of a server with pages', 1000, 'H', 1],
  ['1999 alerts of a server with pages', 1999, 'H', 2],
  ['2001 alerts of a server with pages', 2001, 'H', 3],
  ['no alerts of a server with pages', 0, 'H', 1],
  ['1021 alerts of a server without pages', 1021, 'E', 1],
])('reads %s: %d in dialect %s, with %d calls', async (_, count, era, calls) => {
  const { stack } = await start({ count, era });
  const { body } = await stack.query('{ alerts { id } }');
  expect(body.data.alerts).toHaveLength(count);
  expect(stack.calls).toHaveLength(calls);
});

it('keeps each page in memory, and forgets all of them after a write', async () => {
  const { stack } = await start({ config: paced });
  await stack.query('{ alerts { id } }');
  await stack.query('{ alerts { id } }');
  expect(stack.callList()).toEqual(pages);
  stack.calls.length = 0;
  const { body } = await stack.query(
    `mutation { updateAlert(input: { alertId: "${idOf(1020)}", threshold: 1 }) { alert { id } } }`,
  );
  expect(body.data.updateAlert.alert).toEqual({ id: idOf(1020) });
  const after = await stack.query('{ alerts { threshold } }');
  expect(after.body.data.alerts.at(-1)).toEqual({ threshold: 1 });
  expect(stack.callList().filter((call) => /alerts($|\?)/.test(call))).toEqual(pages);
});

it.each<[string, Partial<Config>, string]>([
  ['the calls of its operation', { maxUpstreamCalls: 1 }, 'UPSTREAM_BUDGET_EXCEEDED'],
  [
    'the calls of its credential',
    { observabilityRate: { calls: 1, windowMs: 60_000 }, pacingWaitMs: 0 },
    'RATE_LIMITED',
  ],
])('fails as a whole where %s do not reach for the second page', async (_, config, code) => {
  const { stack } = await start({ config });
  const { body } = await stack.query('{ alerts { id } }');
  expect(body.data).toEqual({ alerts: null });
  expect(body.errors).toMatchObject([{ path: ['alerts'], extensions: { code } }]);
  expect(stack.callList()).toEqual(pages.slice(0, 1));
});

it('fails as a whole where a page fails', async () => {
  const { answering } = await start();
  const stack = await startHyperdx(
    (call) => (call.path.includes('offset') ? json({ message: 'Broken' }, 500) : answering(call)),
    { maxRetries: 0 },
  );
  const { body } = await stack.query('{ alerts { id } }');
  expect(body.data).toEqual({ alerts: null });
  expect(body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_ERROR' } }]);
});

/** A server that answers each page with what a function makes of it. */
const odd = (make: (page: { data: Members[]; meta: Members }, offset: number) => unknown) => {
  const { answering } = createAlerts('H', alerts(1021));
  const changed: Answering = async (call) => {
    const page = JSON.parse((await answering(call)).body);
    return json(make(page, page.meta.offset));
  };
  return startHyperdx(changed);
};

it.each<[string, (page: { data: Members[]; meta: Members }, offset: number) => unknown]>([
  ['a page is empty', ({ data, meta }, offset) => ({ data: offset > 0 ? [] : data, meta })],
  [
    'rows are twice there',
    ({ data, meta }, offset) => ({
      data: offset > 0 ? [...data.slice(0, 1), ...alerts(21)] : data,
      meta,
    }),
  ],
  [
    'pages name other totals',
    ({ data, meta }, offset) => ({ data, meta: { ...meta, total: 1021 + offset } }),
  ],
  [
    'pages have more rows than the total',
    ({ data, meta }, offset) => ({
      data: offset > 0 ? [...data, ...alerts(1021).slice(0, 5)] : data,
      meta,
    }),
  ],
])('reads anew, and then fails and says what is missing, where %s', async (_, make) => {
  const stack = await odd(make);
  const { body } = await stack.query('{ alerts { id } }');
  expect(body.data).toEqual({ alerts: null });
  expect(body.errors).toMatchObject([
    {
      message:
        'observability answered listAlerts in a way that cannot be used: its list has 1021 rows, and its pages do not hold all of them.',
      extensions: { code: 'UPSTREAM_BAD_RESPONSE' },
    },
  ]);
  expect(stack.callList()).toEqual([pages[0], pages[0], pages[1], pages[1]]);
  expect(stack.complaints()).toContain('upstream call failed');
});

it('reads anew where an alert was deleted between two pages', async () => {
  const server = createAlerts('H', alerts(1021));
  let isDeleted = false;
  const stack = await startHyperdx((call) => {
    if (call.path.includes('offset') && !isDeleted) {
      server.alerts.delete(idOf(3));
      isDeleted = true;
    }
    return server.answering(call);
  });
  const { body } = await stack.query('{ alerts { id } }');
  expect(body.data.alerts.map(({ id }: { readonly id: string }) => id)).toEqual(
    alerts(1021)
      .map(({ id }) => id)
      .filter((id) => id !== idOf(3)),
  );
  expect(stack.callList()).toEqual([pages[0], pages[0], pages[1], pages[1]]);
});

it('reads anew where one alert was deleted and another made between two pages, so that their number stays', async () => {
  const server = createAlerts('H', alerts(1021));
  let isMoved = false;
  const stack = await startHyperdx((call) => {
    if (call.path.includes('offset') && !isMoved) {
      server.alerts.delete(idOf(3));
      server.alerts.set(idOf(5000), { ...first, id: idOf(5000) });
      isMoved = true;
    }
    return server.answering(call);
  });
  const { body } = await stack.query('{ alerts { id } }');
  expect(body.data.alerts.map(({ id }: { readonly id: string }) => id)).toEqual(
    [...alerts(1021).map(({ id }) => id), idOf(5000)].filter((id) => id !== idOf(3)),
  );
  expect(stack.callList()).toEqual([pages[0], pages[0], pages[1], pages[1]]);
});

it.each<[string, (rows: readonly Members[], offset: number) => readonly Members[]]>([
  [
    'at the beginning of a page',
    (rows, offset) => (offset > 0 ? rows : [{ name: 'Nothing' }, ...rows.slice(1)]),
  ],
  [
    'where two pages meet',
    (rows, offset) =>
      offset > 0
        ? [{ name: 'Nothing' }, ...rows.slice(1)]
        : [...rows.slice(0, -1), { name: 'Nothing' }],
  ],
])(
  'counts a row without an identifier, which is left out, as one that came: %s',
  async (_, change) => {
    const stack = await odd(({ data, meta }, offset) => ({ data: change(data, offset), meta }));
    const { body } = await stack.query('{ alerts { id } }');
    expect(body.data.alerts).toHaveLength(1020);
    expect(stack.callList()).toEqual(pages);
  },
);

it.each<[string, number, number, readonly string[]]>([
  ['of a first page that is the last', 20, 5, pages.slice(0, 1)],
  ['of all of a first page that is the last', 20, 20, pages.slice(0, 1)],
  ['of the first page', 1021, 5, pages],
  ['where two pages meet', 1021, 999, pages],
  ['of the last page', 1021, 1010, pages],
])(
  'reads all that a server shows that leaves rows out: one %s',
  async (_, count, hidden, calls) => {
    const all = alerts(count);
    const isShown = (at: number): boolean => at !== hidden && hidden !== count;
    const stack = await startHyperdx(({ path }) => {
      const offset = Number(/offset=(\d+)/.exec(path)?.[1] ?? 0);
      const rows = all.slice(offset, offset + 1000).filter((_row, at) => isShown(offset + at));
      return json({ data: rows, meta: { total: count, limit: 1000, offset } });
    });
    const { body } = await stack.query('{ alerts { id } }');
    expect(body).toEqual({
      data: { alerts: all.filter((_row, at) => isShown(at)).map(({ id }) => ({ id })) },
    });
    expect(stack.callList()).toEqual(calls);
  },
);

it('shows subscribers all alerts in each event, also while one comes to the last page', async () => {
  const server = createAlerts('H', alerts(1021));
  const pollMs = { management: 20, observability: 20 };
  const stack = await startHyperdx(server.answering, {}, { pollMs });
  const stream = await subscribe(stack.url, 'subscription { alerts { id } }');
  const countOf = ({ data }: { readonly data: { readonly alerts: readonly unknown[] } }): number =>
    data.alerts.length;
  expect(countOf(await stream.event(1))).toBe(1021);
  server.alerts.set(idOf(5000), { ...first, id: idOf(5000) });
  expect(countOf(await stream.event(2))).toBe(1022);
  server.alerts.delete(idOf(1));
  expect(countOf(await stream.event(3))).toBe(1021);
  expect(stream.events.filter(({ errors }) => errors)).toEqual([]);
  stream.leave();
  await stream.ended;
});

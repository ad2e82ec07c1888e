import { expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { type Call, data, json, paced } from '../support/harness.ts';
import { alertsOf, dashboardId } from '../support/profiles/hyperdx-records.ts';
import { hyperdx, type Members, startProfile } from '../support/profiles/rows.ts';
import { startTwoOverRedis } from '../support/redis/stacks.ts';
import { redisPath } from '../support/redis.ts';
import { subscribe } from '../support/subscribe.ts';

const [first = {}] = alertsOf.H;
const idOf = (number: number): string => `65f5e4a3b9e77c${String(number).padStart(10, '0')}`;
/** As many alerts as that; the last one is alone on its dashboard. */
const alerts = (count: number): readonly Members[] =>
  Array.from({ length: count }, (_, at) => ({
    ...{ ...first, id: idOf(at), dashboardId: at === count - 1 ? dashboardId : idOf(9999) },
  }));
const some = alerts(1021);
const idsOf = (rows: readonly Members[]) => rows.map(({ id }) => ({ id }));

const offsetOf = ({ path }: Call): number => Number(/offset=(\d+)/.exec(path)?.[1] ?? 0);
const pageOf = (rows: readonly Members[], offset: number) => ({
  data: rows.slice(offset, offset + 1000),
  meta: { total: rows.length, limit: 1000, offset },
});

/** A server of August 2026 with these alerts, which tests change while it answers. */
const createServer = (rows: readonly Members[] = some) => {
  const server = {
    rows,
    answering: (call: Call) => {
      const id = /alerts\/(\w+)/.exec(call.path)?.[1];
      if (id === undefined) return json(pageOf(server.rows, offsetOf(call)));
      const sent = call.method === 'PUT' ? (JSON.parse(call.body) as Members) : {};
      server.rows = server.rows.map((row) => (row.id === id ? { ...row, ...sent } : row));
      return data(server.rows.find((row) => row.id === id));
    },
  };
  return server;
};
const start = (config: Partial<Config> = {}, server = createServer()) =>
  startProfile({ observability: server.answering }, config);

const pages = ['GET /api/v2/alerts', 'GET /api/v2/alerts?limit=1000&offset=999'];
const anew = [pages[0], pages[0], pages[1], pages[1]];
const update = `mutation { updateAlert(input: { alertId: "${idOf(1020)}", threshold: 1 }) { alert { id } } }`;

it('reads all of 1021 alerts, and each page once', async () => {
  const stack = await start();
  const { body } = await stack.query(`{ alerts { id }
    last: alerts(filter: { dashboardId: "${dashboardId}" }) { id }
    dashboard(id: "${dashboardId}") { alerts { id } } }`);
  const last = [{ id: idOf(1020) }];
  expect(body).toEqual({ data: { alerts: idsOf(some), last, dashboard: { alerts: last } } });
  expect(stack.callList()).toEqual(pages);
});

it.each([
  [1000, 1],
  [1999, 2],
  [2001, 3],
  [0, 1],
])('reads %d alerts with %d calls', async (count, calls) => {
  const stack = await start({}, createServer(alerts(count)));
  const { body } = await stack.query('{ alerts { id } }');
  expect(body.data.alerts).toHaveLength(count);
  expect(stack.calls).toHaveLength(calls);
});

it('reads all alerts of a server without pages with one call', async () => {
  const stack = await startProfile({ observability: () => data(some) });
  expect((await stack.query('{ alerts { id } }')).body.data.alerts).toHaveLength(1021);
  expect(stack.calls).toHaveLength(1);
});

it('keeps each page in memory, and forgets all of them after a write', async () => {
  const stack = await start(paced);
  for (const _ of [1, 2]) await stack.query('{ alerts { id } }');
  expect(stack.callList()).toEqual(pages);
  stack.calls.length = 0;
  await stack.query(update);
  const after = await stack.query('{ alerts { threshold } }');
  expect(after.body.data.alerts.at(-1)).toEqual({ threshold: 1 });
  expect(stack.callList().filter((call) => /alerts($|\?)/.test(call))).toEqual(pages);
});

it.skipIf(redisPath === undefined)(
  'of two gateways over one Redis, one answers with the pages that the other has read, and forgets all of them after its write',
  async () => {
    const { one, other, calls } = await startTwoOverRedis({
      observability: createServer().answering,
      config: hyperdx,
    });
    await one.query('{ alerts { id } }');
    expect((await other.query('{ alerts { threshold } }')).body.data.alerts).toHaveLength(1021);
    expect(calls()).toEqual(pages);
    await one.query(update);
    const after = await other.query('{ alerts { threshold } }');
    expect(after.body.data.alerts.at(-1)).toEqual({ threshold: 1 });
  },
);

it.each<[what: string, Partial<Config>, code: string]>([
  ['the calls of its operation', { maxUpstreamCalls: 1 }, 'UPSTREAM_BUDGET_EXCEEDED'],
  [
    'the calls of its credential',
    { observabilityRate: { calls: 1, windowMs: 60_000 }, pacingWaitMs: 0 },
    'RATE_LIMITED',
  ],
])('fails as a whole where %s do not reach for the second page', async (_, config, code) => {
  const stack = await start(config);
  const { body } = await stack.query('{ alerts { id } }');
  expect(body).toMatchObject({
    data: { alerts: null },
    errors: [{ path: ['alerts'], extensions: { code } }],
  });
  expect(stack.callList()).toEqual(pages.slice(0, 1));
});

it('fails as a whole where a page fails', async () => {
  const observability = (call: Call) =>
    offsetOf(call) > 0 ? json({ message: 'Broken' }, 500) : json(pageOf(some, 0));
  const stack = await startProfile({ observability });
  const { body } = await stack.query('{ alerts { id } }');
  expect(body).toMatchObject({
    data: { alerts: null },
    errors: [{ extensions: { code: 'UPSTREAM_ERROR' } }],
  });
});

type Page = ReturnType<typeof pageOf>;
const second = (make: (page: Page) => readonly Members[]) => (page: Page) =>
  page.meta.offset > 0 ? { ...page, data: make(page) } : page;
const nobody = { name: 'Nothing' };

it.each<[title: string, make: (page: Page) => object]>([
  ['a page is empty', second(() => [])],
  ['rows are twice there', second((page) => [...page.data.slice(0, 1), ...alerts(21)])],
  [
    'pages name other totals',
    ({ data, meta }) => ({ data, meta: { ...meta, total: 1021 + meta.offset } }),
  ],
  [
    'pages have more rows than the total',
    second((page) => [...page.data, { ...first, id: idOf(5000) }]),
  ],
])('reads anew, and then fails and says what is missing, where %s', async (_, make) => {
  const stack = await startProfile({
    observability: (call) => json(make(pageOf(some, offsetOf(call)))),
  });
  const { body } = await stack.query('{ alerts { id } }');
  const message =
    'observability answered listAlerts in a way that cannot be used: its list has 1021 rows, and its pages do not hold all of them.';
  expect(body).toMatchObject({
    data: { alerts: null },
    errors: [{ message, extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }],
  });
  expect(stack.callList()).toEqual(anew);
  expect(stack.complaints()).toContain('upstream call failed');
});

it.each<[title: string, make: (page: Page) => object]>([
  [
    'at the beginning of a page',
    (page) => (page.meta.offset > 0 ? page : { ...page, data: [nobody, ...page.data.slice(1)] }),
  ],
  [
    'where two pages meet',
    (page) => ({
      ...page,
      data:
        page.meta.offset > 0
          ? [nobody, ...page.data.slice(1)]
          : [...page.data.slice(0, -1), nobody],
    }),
  ],
])(
  'counts a row without an identifier, which is left out, as one that came: %s',
  async (_, make) => {
    const stack = await startProfile({
      observability: (call) => json(make(pageOf(some, offsetOf(call)))),
    });
    expect((await stack.query('{ alerts { id } }')).body.data.alerts).toHaveLength(1020);
    expect(stack.callList()).toEqual(pages);
  },
);

it.each([
  ['was deleted', []],
  ['was deleted and another made, so that their number stays,', [{ ...first, id: idOf(5000) }]],
])('reads anew where an alert %s between two pages', async (_, made) => {
  const changed = [...some.filter(({ id }) => id !== idOf(3)), ...made];
  const server = createServer();
  const stack = await startProfile({
    observability: (call) => {
      if (offsetOf(call) > 0) server.rows = changed;
      return server.answering(call);
    },
  });
  const { body } = await stack.query('{ alerts { id } }');
  expect(body).toEqual({ data: { alerts: idsOf(changed) } });
  expect(stack.callList()).toEqual(anew);
});

it.each<[title: string, count: number, isHidden: (at: number) => boolean, calls: number]>([
  ['one of a first page that is the last', 20, (at) => at === 5, 1],
  ['all of a first page that is the last', 20, () => true, 1],
  ['one of the first page', 1021, (at) => at === 5, 2],
  ['one where two pages meet', 1021, (at) => at === 999, 2],
  ['one of the last page', 1021, (at) => at === 1010, 2],
])('reads all that a server shows that leaves out %s', async (_, count, isHidden, calls) => {
  const all = alerts(count);
  const stack = await startProfile({
    observability: (call) => {
      const { data: rows, meta } = pageOf(all, offsetOf(call));
      return json({ data: rows.filter((_row, at) => !isHidden(meta.offset + at)), meta });
    },
  });
  const { body } = await stack.query('{ alerts { id } }');
  expect(body).toEqual({ data: { alerts: idsOf(all.filter((_row, at) => !isHidden(at))) } });
  expect(stack.callList()).toEqual(pages.slice(0, calls));
});

it('shows subscribers all alerts in each event, also while one comes to the last page', async () => {
  const server = createServer();
  const pollMs = { management: 20, observability: 20 };
  const stack = await startProfile({ observability: server.answering }, {}, { pollMs });
  const stream = await subscribe(stack.url, 'subscription { alerts { id } }');
  expect((await stream.event(1)).data.alerts).toHaveLength(1021);
  server.rows = [...server.rows, { ...first, id: idOf(5000) }];
  expect((await stream.event(2)).data.alerts).toHaveLength(1022);
  server.rows = server.rows.slice(1);
  expect((await stream.event(3)).data.alerts).toHaveLength(1021);
  expect(stream.events.filter(({ errors }) => errors)).toEqual([]);
  stream.leave();
  await stream.ended;
});

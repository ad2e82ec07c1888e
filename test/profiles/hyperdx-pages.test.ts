import { expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { type Call, data, json, paced } from '../support/harness.ts';
import { alertsOf, dashboardId } from '../support/profiles/hyperdx-records.ts';
import type { Members } from '../support/profiles/record.ts';
import { hyperdx, startProfile } from '../support/profiles/rows.ts';
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

type Page = ReturnType<typeof pageOf>;
const second = (make: (page: Page) => readonly Members[]) => (page: Page) =>
  page.meta.offset > 0 ? { ...page, data: make(page) } : page;
const nobody = { name: 'Nothing' };
const plain = (page: Page): object => page;
const nameless = (isOn: (offset: number) => boolean) => (page: Page) => {
  const { offset } = page.meta;
  const at = offset > 0 || !isOn(999) ? 0 : -1;
  return isOn(offset) ? { ...page, data: page.data.with(at, nobody) } : page;
};
const without = (isHidden: (at: number) => boolean) => (page: Page) => ({
  ...page,
  data: page.data.filter((_row, at) => !isHidden(page.meta.offset + at)),
});

it.each<[title: string, of: number, make: (page: Page) => object, shown: number, calls: number]>([
  ['none', 0, plain, 0, 1],
  ['a whole page', 1000, plain, 1000, 1],
  ['two whole pages', 1999, plain, 1999, 2],
  ['three pages', 2001, plain, 2001, 3],
  ['all that a server without pages sends', 1021, () => ({ data: some }), 1021, 1],
  // A row without an identifier is left out, and counts as one that came.
  ['but a nameless one of the first page', 1021, nameless((offset) => offset === 0), 1020, 2],
  ['but a nameless one where two pages meet', 1021, nameless(() => true), 1020, 2],
  ['but one hidden of a first page that is the last', 20, without((at) => at === 5), 19, 1],
  ['of a first page that is the last, all hidden,', 20, without(() => true), 0, 1],
  ['but one hidden of the first page', 1021, without((at) => at === 5), 1020, 2],
  ['but one hidden where two pages meet', 1021, without((at) => at === 999), 1020, 2],
  ['but one hidden of the last page', 1021, without((at) => at === 1010), 1020, 2],
])('reads all alerts: %s', async (_, count, make, shown, calls) => {
  const all = alerts(count);
  const observability = (call: Call) => json(make(pageOf(all, offsetOf(call))));
  const stack = await startProfile({ observability });
  const { body } = await stack.query('{ alerts { id } }');
  expect(body.errors).toBeUndefined();
  expect(body.data.alerts).toHaveLength(shown);
  expect(new Set(body.data.alerts.map(({ id }: Members) => id)).size).toBe(shown);
  expect(stack.calls).toHaveLength(calls);
});

const [once, missing] = [{ calls: 1, windowMs: 60_000 }, 'and its pages do not hold all of them.'];

it.each<
  [
    title: string,
    Partial<Config>,
    make: (page: Page) => object,
    code: string,
    calls: readonly unknown[],
  ]
>([
  [
    'calls of its operation',
    { maxUpstreamCalls: 1 },
    plain,
    'UPSTREAM_BUDGET_EXCEEDED',
    [pages[0]],
  ],
  [
    ...(['calls of its credential', { observabilityRate: once, pacingWaitMs: 0 }] as const),
    ...([plain, 'RATE_LIMITED', [pages[0]]] as const),
  ],
  ['rows of a page', {}, second(() => []), missing, anew],
  [
    'rows that are not twice there',
    {},
    second(({ data }) => [...data.slice(0, 1), ...alerts(21)]),
    missing,
    anew,
  ],
  [
    ...(['a total of its pages', {}] as const),
    ({ data, meta }) => ({ data, meta: { ...meta, total: 1021 + meta.offset } }),
    ...([missing, anew] as const),
  ],
  [
    'a total of all rows',
    {},
    second(({ data }) => [...data, { ...first, id: idOf(5000) }]),
    missing,
    anew,
  ],
])('fails as a whole for want of %s', async (_, config, make, expected, calls) => {
  const observability = (call: Call) => json(make(pageOf(some, offsetOf(call))));
  const stack = await startProfile({ observability }, config);
  const { body } = await stack.query('{ alerts { id } }');
  const error =
    expected === missing
      ? { message: expect.stringContaining(missing), extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }
      : { path: ['alerts'], extensions: { code: expected } };
  expect(body).toMatchObject({ data: { alerts: null }, errors: [error] });
  expect(stack.callList()).toEqual(calls);
});

it('fails as a whole where a page fails', async () => {
  const observability = (call: Call) =>
    offsetOf(call) > 0 ? json({ message: 'Broken' }, 500) : json(pageOf(some, 0));
  const stack = await startProfile({ observability });
  const { body } = await stack.query('{ alerts { id } }');
  const errors = [{ extensions: { code: 'UPSTREAM_ERROR' } }];
  expect(body).toMatchObject({ data: { alerts: null }, errors });
});

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

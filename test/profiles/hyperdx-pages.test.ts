import { expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { type Call, data, json, paced } from '../support/harness.ts';
import { subscribe } from '../support/subscribe.ts';
import {
  alertsOf,
  dashboardId,
  dataSource,
  savedSearch,
  webhookRecord,
} from './hyperdx-records.ts';
import { type Members, mutate, startProfile } from './rows.ts';

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
const createServer = () => {
  const server = {
    rows: some,
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
const start = (config: Partial<Config> = {}) =>
  startProfile({ observability: createServer().answering }, config);

const pages = ['GET /api/v2/alerts', 'GET /api/v2/alerts?limit=1000&offset=999'];
const anew = [pages[0], pages[0], pages[1], pages[1]];

type Page = ReturnType<typeof pageOf>;
const second = (make: (page: Page) => readonly Members[]) => (page: Page) =>
  page.meta.offset > 0 ? { ...page, data: make(page) } : page;
const plain = (page: Page): object => page;
const without = (hidden: number) => (page: Page) => ({
  ...page,
  data: page.data.filter((_row, at) => page.meta.offset + at !== hidden),
});

const nameless = ({ data, meta }: Page) => ({
  ...{ meta, data: data.with(meta.offset > 0 ? 0 : -1, { name: 'Nothing' }) },
});

/** Asks for all alerts of a server with so many of them, whose pages are made so. */
const askFor = async (count: number, make: (page: Page) => object) => {
  const all = alerts(count);
  const observability = (call: Call) => json(make(pageOf(all, offsetOf(call))));
  const stack = await startProfile({ observability });
  return { stack, body: (await stack.query('{ alerts { id } }')).body };
};

it('reads all of 1021 alerts, and each page once', async () => {
  const stack = await start();
  const { body } = await stack.query(`{ alerts { id }
    last: alerts(filter: { dashboardIdIn: ["${dashboardId}"] }) { id }
    dashboard(dashboardId: "${dashboardId}") { alerts { id } } }`);
  const last = [{ id: idOf(1020) }];
  expect(body).toEqual({ data: { alerts: idsOf(some), last, dashboard: { alerts: last } } });
  expect(stack.callList()).toEqual(pages);
});

it('keeps each page in memory, and forgets all of them after a write', async () => {
  const stack = await start(paced);
  for (const _ of [1, 2]) await stack.query('{ alerts { id } }');
  expect(stack.callList()).toEqual(pages);
  stack.calls.length = 0;
  await mutate(stack, 'updateAlert', { alertId: idOf(1020), threshold: 1 });
  const after = await stack.query('{ alerts { threshold } }');
  expect(after.body.data.alerts.at(-1)).toEqual({ threshold: 1 });
  expect(stack.callList().filter((call) => /alerts($|\?)/.test(call))).toEqual(pages);
});

it.each<[title: string, of: number, make: (page: Page) => object, shown: number, calls: number]>([
  ['a whole page', 1000, plain, 1000, 1],
  ['three pages', 2001, plain, 2001, 3],
  ['all that a server without pages sends', 1021, () => ({ data: some }), 1021, 1],
  // A row without an identifier is left out, and counts as one that came.
  ['but a nameless one where two pages meet', 1021, nameless, 1020, 2],
  ['but one hidden of a first page that is the last', 20, without(5), 19, 1],
])('reads all alerts: %s', async (_, count, make, shown, calls) => {
  const { stack, body } = await askFor(count, make);
  expect(body.errors).toBeUndefined();
  expect(new Set(body.data.alerts.map(({ id }: Members) => id)).size).toBe(shown);
  expect([body.data.alerts.length, stack.calls.length]).toEqual([shown, calls]);
});

const total = ({ data, meta }: Page) => ({ data, meta: { ...meta, total: 1021 + meta.offset } });
const other = { ...first, id: idOf(5000) };

it.each<[title: string, make: (page: Page) => object]>([
  ['rows of a page', second(() => [])],
  ['rows that are not there twice', second(({ data }) => [...data.slice(0, 1), ...alerts(21)])],
  ['a total of its pages', total],
  ['a total of all rows', second(({ data }) => [...data, other])],
])('fails as a whole for want of %s, once it has read all anew', async (_, make) => {
  const { stack, body } = await askFor(1021, make);
  const message = expect.stringContaining('and its pages do not hold all of them.');
  const errors = [{ message, extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }];
  expect(body).toMatchObject({ data: { alerts: null }, errors });
  expect(stack.callList()).toEqual(anew);
});

it.each([
  ['was deleted', []],
  ['was deleted and another made, so that their number stays,', [other]],
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

it('shows subscribers all alerts in each event', async () => {
  const server = createServer();
  const pollMs = { management: 20, observability: 20 };
  const stack = await startProfile({ observability: server.answering }, {}, { pollMs });
  const stream = await subscribe(stack.url, 'subscription { alerts { id } }');
  for (const [at, rows] of [some, [...some, other], [...some.slice(1), other]].entries()) {
    server.rows = rows;
    expect(await stream.event(at + 1)).toEqual({ data: { alerts: idsOf(rows) } });
  }
  stream.leave();
});

it.each([
  ['dataSources', 'sources', dataSource, ['']],
  ['webhooks', 'webhooks', webhookRecord, ['', '?limit=1000&offset=1']],
  ['savedSearches', 'saved-searches', savedSearch, ['', '?limit=1000&offset=1']],
] as const)('%s are read to their last page, or not available', async (...row) => {
  const [field, path, record, pages] = row;
  const rows = [1, 2, 3].map((number) => ({ ...record, id: `row-${number}` }));
  const server = await startProfile({
    observability: (call) => {
      const offset = offsetOf(call);
      return json({ data: rows.slice(offset, offset + 2), meta: { total: 3, limit: 2, offset } });
    },
  });
  const { body } = await server.query(`{ ${field} { id } }`);
  expect(body.data[field]).toEqual(idsOf(rows.slice(0, pages.length + 1)));
  expect(server.callList()).toEqual(pages.map((page) => `GET /api/v2/${path}${page}`));

  // A server of January 2026 has no such route.
  const headers = { 'content-type': 'text/html; charset=utf-8' };
  const page = { status: 404, headers, body: `<pre>Cannot GET /api/v2/${path}</pre>` };
  const earlier = await startProfile({ observability: () => page });
  const { errors } = (await earlier.query(`{ ${field} { id } }`)).body;
  expect(errors).toMatchObject([{ extensions: { code: 'OPERATION_UNAVAILABLE' } }]);
});

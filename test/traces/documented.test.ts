import { tracing } from '@opentelemetry/sdk-node';
import { expect, it } from 'vitest';
import { firstCells, section, table } from '../support/docs/pages.ts';
import { startGateway } from '../support/gateway.ts';
import { data, json, result } from '../support/harness.ts';
import { until } from '../support/process/run-main.ts';
import { type CollectedSpan, startCollector, startProcess } from '../support/traces.ts';
import { withIds } from '../support/world/ids.ts';

/** Stands in all that a caller or an upstream says. */
const canary = 'cnry';
const id = withIds('organization-1');
const dashboardId = 'da5b0000000000000000c4e1';
const headers = {
  'management-authorization': `Basic ${btoa(`${canary}-key:${canary}-secret`)}`,
  'observability-authorization': `Bearer ${canary}-token`,
  ...{ 'x-request-id': 'request-7', 'user-agent': `${canary}/1`, cookie: canary },
};
const secret = new RegExp(`${canary}|Y25yeS1|${id}|${dashboardId}`, 'i');

type Seen = Pick<CollectedSpan, 'name' | 'kind' | 'attributes' | 'status'> & {
  readonly events: readonly { readonly name: string; readonly attributes?: object }[];
};

/** The span of a request that the gateway itself fails at. */
const serverFault = async (): Promise<readonly Seen[]> => {
  const exporter = new tracing.InMemorySpanExporter();
  const spanProcessors = [new tracing.SimpleSpanProcessor(exporter)];
  const provider = new tracing.BasicTracerProvider({ spanProcessors });
  const onParse = (): never => {
    throw new RangeError(canary);
  };
  const traced = { tracer: provider.getTracer('sluice'), stop: () => provider.forceFlush() };
  const { url, end } = await startGateway({}, { tracing: traced, plugins: [{ onParse }] });
  const accept = 'application/graphql-response+json';
  await fetch(`${url}?query={__typename}`, { headers: { accept } });
  await end();
  // OTLP counts kinds from 1.
  return exporter.getFinishedSpans().map(({ name, kind, attributes, status, events }) => ({
    ...{ name, kind: kind + 1, attributes, status, events },
  }));
};

/** Something of everything that has a span, an event or an attribute. */
const drive = async () => {
  const collector = await startCollector();
  const dashboards = Promise.withResolvers<void>();
  let alerts = 0;
  const { url, query, calls, stop } = await startProcess({
    management: () => result([{ id, name: canary }]),
    observability: async ({ method, path }) => {
      if (method === 'DELETE') return json({ message: `${canary} is gone` }, 404);
      if (path === '/api/v2/dashboards') {
        await dashboards.promise;
        return data([{ id: dashboardId, name: canary }]);
      }
      alerts += 1;
      return alerts === 1 ? json({ message: canary }, 503) : data([{ id: canary, name: canary }]);
    },
    env: { ...collector.env, MANAGEMENT_RATE: '1/60s' },
  });
  const isSent = (path: string) => until(() => calls.some((call) => call.path === path));
  const ask = (document: string, more = {}) => query(document, headers, more);

  // Sent twice, then kept.
  await ask(`query ${canary} { alerts { name } }`);
  await ask(`query ${canary} { ${canary}: alerts { name } }`);
  // Shared: the second is there once its other read is.
  const first = ask('{ dashboards { name } }');
  await isSent('/api/v2/dashboards');
  const second = ask('{ dashboards { name } organizations { name } }');
  await isSent('/v1/organizations');
  dashboards.resolve();
  await Promise.all([first, second]);
  // Refused, as management has had its only call.
  const service = 'query ($id: ID!) { service(organizationId: $id, serviceId: $id) { name } }';
  await ask(service, { variables: { id } });
  const input = `{ dashboardId: "${dashboardId}" }`;
  await ask(`mutation { deleteDashboard(input: ${input}) { userErrors { message } } }`);
  await ask(`{ ${canary} }`);
  await fetch(`${url}?query={__typename}`, { headers });
  const leaving = new AbortController();
  const events = { ...headers, accept: 'text/event-stream' };
  const { signal } = leaving;
  const stream = await query('subscription { alerts { name } }', events, { signal });
  await stream.body?.getReader().read();
  leaving.abort();
  await collector.named('subscription');
  await stop();
  const spans: readonly Seen[] = [...collector.spans(), ...(await serverFault())];
  return { spans, text: collector.text() };
};

/** The names in backticks of a cell. */
const codesIn = (cell = ''): readonly string[] =>
  [...cell.matchAll(/`([^`]*)`/g)].map(([, name = '']) => name);
const distinct = (names: readonly string[]): readonly string[] => [...new Set(names)].sort();
const membersOf = (all: readonly { readonly attributes?: object }[]): readonly string[] =>
  distinct(all.flatMap(({ attributes = {} }) => Object.keys(attributes)));

const page = section('docs/operating.md', 'Traces');

it('each span, event and attribute that is documented appears, no other, and no secret', async () => {
  const { spans, text } = await drive();
  expect(text).not.toMatch(secret);

  const kinds = ['', 'internal', 'server', 'client'];
  const spanRows = table(page, 'Span', 'Kind');
  expect(spanRows.map(([, kind]) => kind)).toEqual(['server', 'internal', 'client']);
  for (const [names, kind = '', , attributes] of spanRows) {
    const ofKind = spans.filter((span) => kinds[span.kind] === kind);
    const found = distinct(ofKind.map(({ name }) => name));
    if (kind === 'client')
      for (const name of found)
        expect(name).toMatch(/^(?:management|observability)\.[a-z]+[A-Z]\w+$/);
    else expect(found).toEqual(distinct(codesIn(names)));
    expect(membersOf(ofKind)).toEqual(distinct(codesIn(attributes)));
  }
  expect(spans.filter(({ kind }) => ![1, 2, 3].includes(kind))).toEqual([]);
  expect(spans.filter(({ status }) => status.message !== undefined)).toEqual([]);

  const events = spans.flatMap((span) => span.events);
  const eventRows = table(page, 'Event', 'When');
  expect(distinct(events.map(({ name }) => name))).toEqual(firstCells(eventRows));
  for (const [name, , attributes] of eventRows) {
    const ofName = events.filter((event) => event.name === name);
    expect(membersOf(ofName)).toEqual(distinct(codesIn(attributes)));
  }

  // What needs more words than its name has some, and is one of those.
  const named = membersOf([...spans, ...events]);
  const explained = firstCells(table(page, 'Attribute', 'Value'));
  expect(named).toEqual(expect.arrayContaining(explained));
  const own = named.filter((name) => /^sluice\.(?!upstream|operation)/.test(name));
  expect(explained).toEqual(expect.arrayContaining(own));
});

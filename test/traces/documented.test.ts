import { tracing } from '@opentelemetry/sdk-node';
import { expect, it } from 'vitest';
import { managementOperations } from '../../src/upstream/management/operations.ts';
import { observabilityOperations } from '../../src/upstream/observability/operations.ts';
import { firstCells, section, table } from '../support/docs/pages.ts';
import { startGateway } from '../support/gateway.ts';
import { data, json, result } from '../support/harness.ts';
import { until } from '../support/process/run-main.ts';
import { type CollectedSpan, startCollector, startProcess } from '../support/traces.ts';
import { withIds } from '../support/world/ids.ts';

/** Stands in all that a caller or an upstream says. */
const canary = 'cnry';
const organizationId = withIds('organization-1');
const dashboardId = 'da5b0000000000000000c4e1';
const headers = {
  'management-authorization': `Basic ${btoa(`${canary}-key:${canary}-secret`)}`,
  'observability-authorization': `Bearer ${canary}-token`,
  'x-request-id': `${canary}-request`,
  'user-agent': `${canary}/1`,
  cookie: canary,
};
const secret = new RegExp(`${canary}|Y25yeS1|${organizationId}|${dashboardId}`, 'i');

type Seen = Pick<CollectedSpan, 'name' | 'kind' | 'attributes' | 'status'> & {
  readonly events: readonly { readonly name: string; readonly attributes?: object }[];
};

/** The span of a request that the gateway itself fails at. */
const serverFault = async (): Promise<readonly Seen[]> => {
  const exporter = new tracing.InMemorySpanExporter();
  const spanProcessors = [new tracing.SimpleSpanProcessor(exporter)];
  const provider = new tracing.BasicTracerProvider({ spanProcessors });
  const fault = (): never => {
    throw new RangeError(canary);
  };
  const { url, end } = await startGateway(
    {},
    {
      tracing: { tracer: provider.getTracer('sluice'), stop: () => provider.forceFlush() },
      plugins: [{ onParse: fault }],
    },
  );
  const accept = 'application/graphql-response+json';
  await fetch(`${url}?query={__typename}`, { headers: { accept } });
  await end();
  // OTLP counts kinds from 1.
  return exporter.getFinishedSpans().map((span) => ({
    ...{ name: span.name, kind: span.kind + 1, attributes: span.attributes },
    ...{ status: span.status, events: span.events },
  }));
};

/** Something of everything that has a span, an event or an attribute. */
const drive = async () => {
  const collector = await startCollector();
  const dashboards = Promise.withResolvers<void>();
  let alerts = 0;
  const { url, query, calls, stop } = await startProcess({
    management: () => result([{ id: organizationId, name: canary }]),
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
  const sent = (path: string): number => calls.filter((call) => call.path === path).length;
  const ask = (document: string, variables?: unknown) => query(document, headers, { variables });

  // Sent twice, then kept.
  await ask(`query ${canary} { alerts { name } }`);
  await ask(`query ${canary} { ${canary}: alerts { name } }`);
  // Shared: the second is there once its other read is.
  const first = ask('{ dashboards { name } }');
  await until(() => sent('/api/v2/dashboards') === 1);
  const second = ask('{ dashboards { name } organizations { name } }');
  await until(() => sent('/v1/organizations') === 1);
  dashboards.resolve();
  await Promise.all([first, second]);
  // Refused, as management has had its only call.
  await ask('query ($id: ID!) { service(organizationId: $id, serviceId: $id) { name } }', {
    id: organizationId,
  });
  await ask(`mutation { deleteDashboard(input: { dashboardId: "${dashboardId}" }) {
    deletedDashboardId userErrors { message } } }`);
  await ask(`{ ${canary} }`);
  await fetch(`${url}?query=${encodeURIComponent('{ __typename }')}`, { headers });
  const leaving = new AbortController();
  const stream = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: 'subscription { alerts { name } }' }),
    signal: leaving.signal,
  });
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

const page = section('docs/operating.md', 'Traces');

/** The kinds of spans by their first name, each with what the documentation has of it. */
const documented = table(page, 'Span', 'Kind').map(([names = '', kind = '', , attributes]) => ({
  names: codesIn(names),
  kind: ['', 'internal', 'server', 'client'].indexOf(kind),
  attributes: [...codesIn(attributes)].sort(),
}));

const rows = [
  ...Object.keys(managementOperations('command')).map((name) => `management.${name}`),
  ...Object.keys(observabilityOperations).map((name) => `observability.${name}`),
];

const distinct = (names: readonly string[]): readonly string[] => [...new Set(names)].sort();

it('each span, event and attribute that is documented appears, no other, and no secret', async () => {
  const { spans, text } = await drive();
  expect(text).not.toMatch(secret);

  expect(documented.map(({ kind }) => kind)).toEqual([2, 1, 3]);
  for (const { kind, names, attributes } of documented) {
    const ofKind = spans.filter((span) => span.kind === kind);
    const found = distinct(ofKind.map(({ name }) => name));
    if (kind === 3) expect(rows).toEqual(expect.arrayContaining([...names, ...found]));
    else expect(found).toEqual(distinct(names));
    const all = ofKind.flatMap((span) => Object.keys(span.attributes));
    expect(distinct(all)).toEqual(attributes);
  }
  expect(spans.filter(({ kind }) => ![1, 2, 3].includes(kind))).toEqual([]);
  expect(spans.filter(({ status }) => status.message !== undefined)).toEqual([]);

  const events = spans.flatMap((span) => span.events);
  const eventRows = table(page, 'Event', 'When');
  expect(distinct(events.map(({ name }) => name))).toEqual(firstCells(eventRows));
  for (const [name, , attributes] of eventRows) {
    const all = events.filter((event) => event.name === name);
    expect(distinct(all.flatMap((event) => Object.keys(event.attributes ?? {})))).toEqual(
      [...codesIn(attributes)].sort(),
    );
  }

  // What needs more words than its name has some, and is one of those.
  const used = [
    ...documented,
    ...events.map((event) => ({ attributes: Object.keys(event.attributes ?? {}) })),
  ];
  const named = used.flatMap(({ attributes }) => attributes);
  const explained = firstCells(table(page, 'Attribute', 'Value'));
  expect(named).toEqual(expect.arrayContaining(explained));
  const own = named.filter((name) => /^sluice\.(?!upstream|operation)/.test(name));
  expect(explained).toEqual(expect.arrayContaining(own));
});

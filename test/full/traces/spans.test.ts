import { describe, expect, it } from 'vitest';
import { type Answering, data, json, result } from '../../support/harness.ts';
import { startCollector, startProcess } from '../../support/traces.ts';
import { withIds } from '../../support/world/ids.ts';

const organizationId = withIds('organization-1');
const traceId = '0af7651916cd43dd8448eb211c80319c';
const callerSpan = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${callerSpan}-01`;

const broken: Answering = () => json({ message: 'broken' }, 500);

const start = async (env: Readonly<Record<string, string>> = {}, observability = broken) => {
  const collector = await startCollector();
  const gateway = await startProcess({
    management: () => result([{ id: organizationId, name: 'first' }]),
    observability,
    env: { ...collector.env, ...env },
  });
  return { ...collector, ...gateway };
};

const listOrganizations = {
  'sluice.upstream': 'management',
  'sluice.operation': 'listOrganizations',
};

describe('a request', () => {
  it('a request makes a span of the server, one of the execution below it, and one a call below that', async () => {
    const { spans, named, query, calls, url, logged } = await start();
    for (const path of ['/healthz', '/readyz']) await fetch(new URL(path, url));
    const asked = 'query Named { organizations { name } }';
    const response = await query(asked, { traceparent, tracestate: 'v=1' });
    const requestId = response.headers.get('x-request-id');
    const [server] = await named('POST /graphql');
    const [execution] = await named('query');
    const [call] = await named('management.listOrganizations');
    expect(spans()).toHaveLength(3);
    const ids = [server, call].map((span) => span?.attributes['sluice.request_id']);
    expect(ids).toEqual([requestId, requestId]);
    expect(await logged('operation')).toMatchObject({ requestId, trace_id: traceId });
    expect(server).toMatchObject({
      ...{ kind: 2, traceId, parentSpanId: callerSpan, scope: 'sluice', status: { code: 0 } },
      attributes: {
        ...{ 'http.request.method': 'POST', 'http.route': '/graphql' },
        'http.response.status_code': 200,
      },
    });
    expect(execution).toMatchObject({
      ...{ kind: 1, traceId, parentSpanId: server?.spanId, status: { code: 0 } },
      attributes: { 'graphql.operation.type': 'query' },
    });
    expect(call).toMatchObject({
      ...{ kind: 3, traceId, parentSpanId: execution?.spanId, status: { code: 0 } },
      attributes: {
        ...{ ...listOrganizations, 'url.template': '/v1/organizations' },
        ...{ 'http.request.method': 'GET', 'http.response.status_code': 200 },
        ...{ 'sluice.priority': 'read', 'sluice.cache': 'miss' },
        'sluice.waited_ms': expect.any(Number),
      },
    });
    // The upstream goes on where the call's own span is.
    expect(calls.map(({ headers }) => [headers.traceparent, headers.tracestate])).toEqual([
      [`00-${traceId}-${call?.spanId}-01`, 'v=1'],
    ]);
  });

  it('a request begins a trace in place of one that holds a credential', async () => {
    const { named, text, query, calls } = await start();
    const tracestate = 'a=token-of-the-caller';
    await query('{ organizations { name } }', { traceparent, tracestate });
    const [server] = await named('POST /graphql');
    expect([server?.parentSpanId ?? '', server?.traceId === traceId]).toEqual(['', false]);
    expect(calls[0]?.headers.traceparent).toContain(`00-${server?.traceId}-`);
    expect(calls[0]?.headers.tracestate).toBeUndefined();
    expect(text()).not.toContain('token-of-the-caller');
  });

  it('a span fails by codes of the gateway, and by nothing else', async () => {
    const { named, text, query } = await start();
    await query('{ alerts { name } organizations { name } }');
    const [server] = await named('POST /graphql');
    const [execution] = await named('query');
    const [call] = await named('observability.listAlerts');
    expect([call?.status, call?.attributes['error.type']]).toEqual([{ code: 2 }, '500']);
    const { status, attributes } = execution ?? {};
    expect([status, attributes?.['error.type']]).toEqual([{ code: 2 }, 'UPSTREAM_ERROR']);
    // What was asked for was answered, if not all of it.
    expect(server?.status).toEqual({ code: 0 });
    expect(server?.attributes['sluice.error_codes']).toEqual(['UPSTREAM_ERROR']);
    expect(text()).not.toContain('broken');

    await query('{ nothing }');
    const [, refused] = await named('POST /graphql', 2);
    expect(refused?.attributes['sluice.error_codes']).toEqual(['GRAPHQL_VALIDATION_FAILED']);
    expect(await named('query')).toHaveLength(1);
  });
});

it('a call that is sent again has a span each time, and its upstream a context each time', async () => {
  let count = 0;
  const { named, query, calls } = await start({}, () => {
    count += 1;
    return count === 1 ? json({}, 503) : data([]);
  });
  await query('{ alerts { name } }');
  const spans = await named('observability.listAlerts', 2);
  const names = ['http.response.status_code', 'error.type', 'http.request.resend_count'];
  expect(spans.map(({ attributes }) => names.map((name) => attributes[name]))).toEqual([
    [503, '503', undefined],
    [200, undefined, 1],
  ]);
  expect(calls.map(({ headers }) => headers.traceparent)).toEqual(
    spans.map((span) => `00-${span.traceId}-${span.spanId}-01`),
  );
});

it('an event of a subscription is an execution of its own, and a poll a trace of its own', async () => {
  let reads = 0;
  const { named, query } = await start({}, () => {
    reads += 1;
    return data([{ id: 'a1', name: `alert ${reads}` }]);
  });
  const leaving = new AbortController();
  const accept = 'text/event-stream';
  const { signal } = leaving;
  const { body } = await query('subscription { alerts { name } }', { accept }, { signal });
  await body?.getReader().read();
  const [first] = await named('subscription');
  const [asked] = await named('observability.listAlerts');
  expect(asked).toMatchObject({ traceId: first?.traceId, parentSpanId: first?.spanId });
  const [, second] = await named('subscription', 2);
  const [, poll] = await named('observability.listAlerts', 2);
  expect(poll?.traceId).not.toBe(asked?.traceId);
  expect([poll?.parentSpanId ?? '', poll?.attributes['sluice.priority']]).toEqual(['', 'poll']);
  leaving.abort();
  const [server] = await named('POST /graphql');
  for (const event of [first, second]) expect(event?.parentSpanId).toBe(server?.spanId);
});

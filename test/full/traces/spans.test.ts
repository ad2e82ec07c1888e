import { describe, expect, it } from 'vitest';
import { data, json, result } from '../../support/harness.ts';
import { startCollector } from '../../support/traces/collector.ts';
import { collected, startProcess } from '../../support/traces/gateway.ts';
import { withIds } from '../../support/world/ids.ts';

const organizationId = withIds('organization-1');
const traceId = '0af7651916cd43dd8448eb211c80319c';
const callerSpan = 'b7ad6b7169203331';
const context = { traceparent: `00-${traceId}-${callerSpan}-01`, tracestate: 'vendor=value' };

const start = async (env: Readonly<Record<string, string>> = {}) => {
  const collector = await startCollector();
  const gateway = await startProcess({
    management: ({ method }) =>
      result(method === 'GET' ? [{ id: organizationId, name: 'first' }] : { id: organizationId }),
    observability: () => json({ message: 'broken' }, 500),
    env: { ...collector.env, ...env },
  });
  return { collector, ...gateway };
};

describe('a request', () => {
  it('makes a span of the server, one of the execution below it, and one a call below that', async () => {
    const { collector, query, calls } = await start();
    await query('query Named { organizations { name } }', { headers: context });

    const [server] = await collected(collector, 'POST /graphql');
    const [execution] = await collected(collector, 'query');
    const [call] = await collected(collector, 'management.listOrganizations');
    expect(collector.spans()).toHaveLength(3);
    expect(server).toMatchObject({
      ...{ kind: 2, traceId, parentSpanId: callerSpan, scope: 'sluice', status: { code: 0 } },
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/graphql',
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
        'sluice.upstream': 'management',
        'sluice.operation': 'listOrganizations',
        'http.request.method': 'GET',
        'url.template': '/v1/organizations',
        'http.response.status_code': 200,
        'sluice.priority': 'read',
        'sluice.cache': 'miss',
        'sluice.waited_ms': expect.any(Number),
      },
    });
    // The upstream goes on where the call's own span is.
    expect(calls.map(({ headers }) => [headers.traceparent, headers.tracestate])).toEqual([
      [`00-${traceId}-${call?.spanId}-01`, 'vendor=value'],
    ]);
  });

  it('begins a trace where its caller names none, or none that can be one', async () => {
    const { collector, query, calls } = await start();
    await query('{ organizations { name } }', { headers: { traceparent: '00-1-2-3' } });
    const [server] = await collected(collector, 'POST /graphql');
    expect(server?.parentSpanId ?? '').toBe('');
    expect(calls[0]?.headers.traceparent).toContain(`00-${server?.traceId}-`);
  });

  it('passes nothing on that holds a credential', async () => {
    const { collector, query, calls } = await start();
    const headers = { traceparent: context.traceparent, tracestate: 'a=token-of-the-caller' };
    await query('{ organizations { name } }', { headers });
    const [server] = await collected(collector, 'POST /graphql');
    expect(server?.traceId).not.toBe(traceId);
    expect(calls[0]?.headers.tracestate).toBeUndefined();
    expect(collector.text()).not.toContain('token-of-the-caller');
  });

  it('fails by codes of the gateway, and by nothing else', async () => {
    const { collector, query } = await start();
    const { text } = await query('{ alerts { name } organizations { name } }');
    expect(text).toContain('UPSTREAM_ERROR');

    const [server] = await collected(collector, 'POST /graphql');
    const [execution] = await collected(collector, 'query');
    const [call] = await collected(collector, 'observability.listAlerts');
    expect(call?.status).toEqual({ code: 2 });
    expect(call?.attributes).toMatchObject({
      'http.response.status_code': 500,
      'error.type': '500',
    });
    expect(execution?.status).toEqual({ code: 2 });
    expect(execution?.attributes['error.type']).toBe('UPSTREAM_ERROR');
    // What was asked for was answered, if not all of it.
    expect(server?.status).toEqual({ code: 0 });
    expect(server?.attributes['sluice.error_codes']).toEqual(['UPSTREAM_ERROR']);
    expect(collector.text()).not.toContain('broken');
  });

  it('tells why it was refused on the span of the server, where nothing is executed', async () => {
    const { collector, query } = await start();
    await query('{ nothing }');
    const [server] = await collected(collector, 'POST /graphql');
    expect(server?.attributes['sluice.error_codes']).toEqual(['GRAPHQL_VALIDATION_FAILED']);
    expect(collector.spans()).toHaveLength(1);
  });

  it('has no span where it is for health', async () => {
    const { collector, query, url } = await start();
    await fetch(new URL('/healthz', url));
    await fetch(new URL('/readyz', url));
    await query('{ __typename }');
    await collected(collector, 'POST /graphql');
    expect(collector.spans().map(({ name }) => name)).toEqual(['query', 'POST /graphql']);
  });
});

describe('a read that is not sent', () => {
  it('is an event on the execution: from memory while fresh', async () => {
    const { collector, query } = await start();
    await query('{ organizations { name } }');
    await query('{ organizations { name } }');
    const [, second] = await collected(collector, 'query', 2);
    expect(second?.events).toEqual([
      {
        name: 'sluice.read.kept',
        attributes: {
          'sluice.upstream': 'management',
          'sluice.operation': 'listOrganizations',
          'sluice.cache': 'fresh',
          'sluice.age_ms': expect.any(Number),
        },
      },
    ]);
    expect(await collected(collector, 'management.listOrganizations')).toHaveLength(1);
  });

  it('is an event on the execution: refused, as no call is left in time', async () => {
    const { collector, query } = await start({ MANAGEMENT_RATE: '1/60s', READ_CACHE_MB: '0' });
    await query('{ organizations { name } }');
    await query('{ organizations { name } }');
    const [, second] = await collected(collector, 'query', 2);
    expect(second?.attributes['error.type']).toBe('RATE_LIMITED');
    expect(second?.events).toEqual([
      {
        name: 'sluice.call.not_sent',
        attributes: {
          'sluice.upstream': 'management',
          'sluice.operation': 'listOrganizations',
          'error.type': 'no-slot',
          'sluice.waited_ms': expect.any(Number),
        },
      },
    ]);
    expect(await collected(collector, 'management.listOrganizations')).toHaveLength(1);
  });
});

describe('a call that is sent again', () => {
  it('has a span each time, and its upstream a context each time', async () => {
    const collector = await startCollector();
    let count = 0;
    const { query, calls } = await startProcess({
      management: () => result([]),
      observability: () => {
        count += 1;
        return count === 1 ? json({}, 503) : data([]);
      },
      env: collector.env,
    });
    await query('{ alerts { name } }');
    const spans = await collected(collector, 'observability.listAlerts', 2);
    const facts = spans.map(({ attributes }) => [
      attributes['http.response.status_code'],
      attributes['error.type'],
      attributes['http.request.resend_count'],
    ]);
    expect(facts).toEqual([
      [503, '503', undefined],
      [200, undefined, 1],
    ]);
    const sent = calls.map(({ headers }) => headers.traceparent);
    expect(sent).toEqual(spans.map((span) => `00-${span.traceId}-${span.spanId}-01`));
  });
});

import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { tracing } from '@opentelemetry/sdk-node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGateway } from '../../src/index.ts';
import { createLog } from '../../src/log.ts';
import type { GatewayPlugin } from '../../src/plugins/plugin.ts';
import { oneTree } from '../profiles/rows.ts';
import { json, paced, result, startBackends } from '../support/harness.ts';
import { serveMetrics } from '../support/metrics.ts';
import { serve } from '../support/servers.ts';
import { basic, open, organization, path, service, services } from './open.ts';

const target = `/management${service}`;

it('a request for the list of calls gets the answer alone', async () => {
  const { call } = await open({ management: () => result({}), config: { explain: true } });
  const [plain, explained] = [
    await call(`${target}/a`),
    await call(`${target}/a`, { headers: { 'sluice-explain': '1' } }),
  ];
  expect(Object.keys(JSON.parse(explained.text))).toEqual(Object.keys(JSON.parse(plain.text)));
  expect([...explained.headers.keys()]).toEqual([...plain.headers.keys()]);
});

it('of successes only writes have a line, where successes are left out', async () => {
  const { call, write, query, log } = await open({ config: { logSuccessPercent: 0 } });
  await call(target);
  await write('PUT', target);
  await call(`${target}/%2e`);
  await query('{ __typename }');
  const lines = log().trim().split('\n');
  const shown = lines.map((line) => JSON.parse(line)).filter(({ way }) => way);
  expect(shown.map(({ method, status }) => [method, status])).toEqual([
    ['PUT', 200],
    ['GET', 400],
  ]);
});

describe('metrics', () => {
  it('count answers by upstream, method and class', async () => {
    const asked = Promise.withResolvers<void>();
    const throwing: GatewayPlugin = {
      onResponse: ({ serverContext: { target: at } }) => {
        if (at.endsWith('/broken')) throw new Error('broken');
      },
    };
    const stack = await open({
      management: ({ path: at }) => {
        if (!at.endsWith('/left')) return result({});
        asked.resolve();
        return new Promise(() => undefined);
      },
      gateway: { plugins: [throwing] },
      config: { metricsPort: 0 },
    });
    const scrape = await serveMetrics(stack.gateway);
    await stack.call(target);
    await stack.call(target, { headers: { range: 'bytes=0-1' } });
    await stack.write('DELETE', '/observability/api/v2/alerts/a');
    await stack.call(target, { method: 'OPTIONS' });
    await stack.call(`${target}/broken`);
    const leaving = new AbortController();
    const left = stack.call(`${target}/left`, { method: 'PUT', signal: leaving.signal });
    await asked.promise;
    leaving.abort();
    await expect(left).rejects.toThrow();
    const expected = {
      rest_requests_total: {
        'management GET 2xx': 1,
        'management GET 4xx': 1,
        'management GET 429': 0,
        'management GET 5xx': 1,
        'management PUT left': 1,
        'management other 4xx': 1,
        'observability DELETE 2xx': 1,
      },
    };
    await expect.poll(async () => (await scrape()).like(expected)).toEqual(expected);
  });

  it('have no series for a door that is not there', async () => {
    const stack = await open({
      config: { ...oneTree, metricsPort: 0 },
      credentials: { 'observability-authorization': '' },
    });
    const { samples } = await (await serveMetrics(stack.gateway))();
    const doors = samples.filter(({ name }) => name === 'sluice_rest_requests_total');
    expect(new Set(doors.map(({ labels }) => labels.upstream))).toEqual(new Set(['management']));
  });
});

it('the span of a call is below that of the request, and no span has the path', async () => {
  const exporter = new tracing.InMemorySpanExporter();
  const spanProcessors = [new tracing.SimpleSpanProcessor(exporter)];
  const provider = new tracing.BasicTracerProvider({ spanProcessors });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  onTestFinished(() => context.disable());
  const traced = { tracer: provider.getTracer('sluice'), stop: () => provider.forceFlush() };
  const { call, close } = await open({ gateway: { tracing: traced } });
  await call(`${target}?secret=hidden`);
  await close();
  const spans = exporter.getFinishedSpans();
  const [sent, server] = spans;
  expect(spans).toHaveLength(2);
  expect(server).toMatchObject({ name: 'GET /management' });
  expect(sent?.parentSpanContext?.spanId).toBe(server?.spanContext().spanId);
  const seen = JSON.stringify(spans.map(({ name, attributes }) => ({ name, attributes })));
  for (const text of ['hidden', path('service-1'), path('organization-1')]) {
    expect(seen).not.toContain(text);
  }
});

it('a gateway that stops answers what it has sent, and refuses what it cannot send in time', async () => {
  const [sent, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { call, write, gateway } = await open({
    management: async () => {
      sent.resolve();
      await held.promise;
      return result({});
    },
    config: { ...paced, managementRate: { calls: 1, windowMs: 20_000 }, drainMs: 5000 },
  });
  const first = write('POST', target);
  await sent.promise;
  const second = call(`/management${services}`);
  // Whatever was asked before has arrived then.
  for (const _ of [1, 2]) await call('/healthz');
  const closed = gateway.close();
  const refused = await second;
  expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true]);
  held.resolve();
  expect(await first).toMatchObject({ status: 200 });
  await closed;
});

it('the handler of one’s own server has the door, and tells of a body that was read before', async () => {
  const backends = await startBackends({ management: () => result([]) });
  const log = createLog({ write: () => undefined });
  const gateway = await createGateway({ log, settings: { ...backends.env, REST: 'write' } });
  const { origin } = await serve(async (req, res) => {
    if (req.method === 'POST') await req.toArray();
    gateway.handler(req, res);
  });
  onTestFinished(async () => {
    await gateway.close();
    await backends.close();
  });
  const headers = { authorization: basic, 'content-type': 'application/json' };
  const door = `${origin}/management${organization}`;
  expect((await fetch(door, { headers })).status).toBe(200);
  const post = await fetch(door, { method: 'POST', headers, body: '{}' });
  expect(post.status).toBe(500);
  expect((await post.json()).error).toContain('The body was read before');
  expect(backends.calls).toHaveLength(1);
});

it('failures at paths that only tools ask for do not stop others', async () => {
  const { call, origin } = await open({
    management: () => json({ status: 503 }, 503),
    config: { breakerFailures: 2, maxRetries: 0 },
  });
  for (const key of ['a', 'b', 'c']) {
    const headers = { authorization: `Basic ${btoa(`${key}:secret`)}` };
    expect(await call(`/management${services}/${key}`, { headers })).toMatchObject({ status: 503 });
  }
  const breakers = async () => (await (await fetch(`${origin}/readyz`)).json()).upstreams;
  expect(await breakers()).toMatchObject({ management: { breaker: 'closed' } });
});

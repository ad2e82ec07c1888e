import { expect, it } from 'vitest';
import { credentials, data, result } from '../support/harness.ts';
import { until } from '../support/process/run-main.ts';
import { startCollector } from '../support/traces/collector.ts';
import { collected, startProcess } from '../support/traces/gateway.ts';

const start = async () => {
  const collector = await startCollector();
  let reads = 0;
  const gateway = await startProcess({
    management: () => result([{ id: '0a9a0000-0000-4000-8000-000000000001', name: 'first' }]),
    observability: () => {
      reads += 1;
      return data([{ id: 'a1', name: `alert ${reads}` }]);
    },
    env: collector.env,
  });
  return { collector, ...gateway };
};

const open = async (
  url: string,
  accept: string,
  query: string,
  signal: AbortSignal | null = null,
) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...credentials, 'content-type': 'application/json', accept },
    body: JSON.stringify({ query }),
    signal,
  });
  return response;
};

it('an event of a subscription is an execution of its own, and a poll a trace of its own', async () => {
  const { collector, url, calls } = await start();
  const leaving = new AbortController();
  const query = 'subscription { alerts { name } }';
  const { body } = await open(url, 'text/event-stream', query, leaving.signal);
  const reader = body?.getReader();
  await reader?.read();
  const [first] = await collected(collector, 'subscription');
  const [asked] = await collected(collector, 'observability.listAlerts');
  expect(asked).toMatchObject({ traceId: first?.traceId, parentSpanId: first?.spanId });

  await until(() => calls.length > 1);
  const [, second] = await collected(collector, 'subscription', 2);
  const [, poll] = await collected(collector, 'observability.listAlerts', 2);
  expect(poll?.traceId).not.toBe(asked?.traceId);
  expect(poll?.parentSpanId ?? '').toBe('');
  expect(poll?.attributes['sluice.priority']).toBe('poll');

  leaving.abort();
  const [server] = await collected(collector, 'POST /graphql');
  for (const event of [first, second]) expect(event?.parentSpanId).toBe(server?.spanId);
  expect(server?.attributes['http.response.status_code']).toBe(200);
});

it('an execution lasts until the last part of its response, and tells the codes of all parts', async () => {
  const { collector, url } = await start();
  const response = await open(
    url,
    'multipart/mixed',
    '{ organizations { name } ... @defer { alerts { name } dashboard(id: "not one") { name } } }',
  );
  const text = await response.text();
  expect(text).toContain('alert 1');
  const [server] = await collected(collector, 'POST /graphql');
  const [execution] = await collected(collector, 'query');
  const [prompt] = await collected(collector, 'management.listOrganizations');
  const [later] = await collected(collector, 'observability.listAlerts');
  expect(server?.attributes['sluice.error_codes']).toEqual(['BAD_USER_INPUT']);
  expect(execution?.attributes['error.type']).toBe('BAD_USER_INPUT');
  for (const call of [prompt, later]) expect(call?.parentSpanId).toBe(execution?.spanId);
  expect(later?.attributes['sluice.priority']).toBe('deferred');
  const end = (span: typeof later): bigint => BigInt(span?.endTimeUnixNano ?? 0);
  expect(end(execution)).toBeGreaterThanOrEqual(end(later));
});

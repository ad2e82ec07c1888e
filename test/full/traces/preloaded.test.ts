import { expect, it } from 'vitest';
import { data, result } from '../../support/harness.ts';
import { startCollector } from '../../support/traces/collector.ts';
import { collected, startProcess } from '../../support/traces/gateway.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const callerSpan = 'b7ad6b7169203331';

it('what instruments node:http and undici makes the outer and inner spans, and the gateway those between', async () => {
  const collector = await startCollector();
  const { query, calls, lines } = await startProcess({
    management: () => result([]),
    observability: () => data([]),
    // It reads them too, and the gateway leaves the SDK to what is there.
    env: collector.env,
    command: [
      process.execPath,
      '--import',
      './test/support/process/preloaded-tracing.ts',
      'src/main.ts',
    ],
  });
  const headers = { traceparent: `00-${traceId}-${callerSpan}-01`, baggage: 'of=the-caller' };
  await query('{ alerts { name } }', { headers });

  const [execution] = await collected(collector, 'query');
  const [call] = await collected(collector, 'observability.listAlerts');
  const [request] = await collected(collector, 'GET');
  const [server] = await collected(collector, 'POST');
  expect(collector.spans().filter(({ kind }) => kind === 2)).toEqual([server]);
  expect(server).toMatchObject({ traceId, parentSpanId: callerSpan });
  expect(server?.scope).toBe('@opentelemetry/instrumentation-http');
  expect(execution).toMatchObject({ scope: 'sluice', parentSpanId: server?.spanId });
  expect(call).toMatchObject({ scope: 'sluice', kind: 3, parentSpanId: execution?.spanId });
  expect(request).toMatchObject({ kind: 3, parentSpanId: call?.spanId });
  expect(request?.scope).toBe('@opentelemetry/instrumentation-undici');
  // One context, that of the innermost span.
  expect(calls.map(({ headers: { traceparent } }) => traceparent)).toEqual([
    `00-${traceId}-${request?.spanId}-01`,
  ]);
  expect(lines('no traces, as @opentelemetry/sdk-node is not installed')).toEqual([]);
});

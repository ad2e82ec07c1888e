import { describe, expect, it } from 'vitest';
import { asksForTraces } from '../../../src/gateway/tracing.ts';
import { data, result } from '../../support/harness.ts';
import { until } from '../../support/process/run-main.ts';
import { startCollector, startProcess } from '../../support/traces.ts';

const context = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  tracestate: 'vendor=value',
};

const dataUrl = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;

/** Tells on standard error which packages of OpenTelemetry are asked for, each once a line. */
const tellingPackages = dataUrl(`
  import { registerHooks } from 'node:module';
  const told = new Set();
  registerHooks({
    resolve: (specifier, context, next) => {
      const [name] = specifier.match(/^@opentelemetry\\/[^/]+/) ?? [];
      if (name && !told.has(name)) process.stderr.write(name + '\\n');
      told.add(name);
      return next(specifier, context);
    },
  });
`);

/** Makes the SDK one that is not installed. */
const withoutSdk = dataUrl(`
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier === '@opentelemetry/sdk-node' ? 'a-package-that-is-not-there' : specifier, context),
  });
`);

/** A collector, and a gateway that exports to it unless `env` says otherwise. */
const start = async (
  env: Readonly<Record<string, string>> = {},
  imports: readonly string[] = [],
  status?: number | 'never',
) => {
  const collector = await startCollector(status);
  const answering = { management: () => result([]), observability: () => data([]) };
  const gateway = await startProcess({ ...answering, env: { ...collector.env, ...env }, imports });
  return { ...collector, ...gateway };
};
const alerts = '{ alerts { name } }';

const lost = 'OpenTelemetry has met an error, and spans may be lost';
const missing = 'no traces, as @opentelemetry/sdk-node is not installed';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318' };

it.each([
  [{}, false],
  [{ OTEL_SERVICE_NAME: 'sluice', OTEL_TRACES_SAMPLER: 'always_on' }, false],
  [endpoint, true],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector.example:4318' }, true],
  [{ OTEL_TRACES_EXPORTER: 'otlp' }, true],
  [{ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }, false],
  [{ ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }, false],
])('traces are asked for by %j: %s', (env, expected) => {
  expect(asksForTraces(env)).toBe(expected);
});

describe('traces', () => {
  it('traces that are switched off load no module of the SDK, and the headers of callers pass', async () => {
    const { query, stop, requests, calls } = await start({ OTEL_SDK_DISABLED: 'true' }, [
      tellingPackages,
    ]);
    await query(alerts, context);
    expect((await stop()).errors).toBe('@opentelemetry/api\n');
    expect(requests).toEqual([]);
    expect(calls[0]?.headers).toMatchObject(context);
  });

  it('traces that the sampler leaves out are not exported, and upstreams are told so', async () => {
    const { query, stop, requests, calls } = await start({ OTEL_TRACES_SAMPLER: 'always_off' });
    await query(alerts, context);
    await stop();
    expect(requests).toEqual([]);
    expect(calls[0]?.headers.traceparent).toMatch(
      /^00-0af7651916cd43dd8448eb211c80319c-(?!b7ad6b7169203331)[0-9a-f]{16}-00$/,
    );
  });

  it('traces that are left when the gateway stops are exported, as protobuf unless JSON is asked for', async () => {
    const { query, stop, requests, text, lines } = await start({
      ...{ OTEL_EXPORTER_OTLP_PROTOCOL: '', OTEL_BSP_SCHEDULE_DELAY: '5000' },
    });
    await query(alerts);
    expect(await stop()).toMatchObject({ code: 0 });
    expect(lines(lost)).toEqual([]);
    expect(requests).toMatchObject([{ path: '/v1/traces', type: 'application/x-protobuf' }]);
    for (const name of ['POST /graphql', 'query', 'observability.listAlerts']) {
      expect(text()).toContain(name);
    }
  });

  it('traces that a collector refuses are a warning, which quotes nothing', async () => {
    const key = { OTEL_EXPORTER_OTLP_HEADERS: 'api-key=cnry-key' };
    const { query, logged, output, origin } = await start(key, [], 400);
    await query(alerts);
    await logged(lost);
    expect(output.text).not.toContain('cnry');
    expect(output.text).not.toContain(origin);
  });

  it('traces keep the gateway no longer than requests may where a collector does not answer', async () => {
    // The SDK would wait for so long.
    const hour = { OTEL_EXPORTER_OTLP_TIMEOUT: '3600000', OTEL_BSP_EXPORT_TIMEOUT: '3600000' };
    const { query, requests, stop, lines } = await start(hour, [], 'never');
    await query(alerts);
    await until(() => requests.length > 0);
    expect(await stop()).toMatchObject({ code: 0 });
    const kind = 'TimeoutError';
    expect(lines('the last spans were not exported')).toMatchObject([{ kind }]);
    expect(lines('stopped')).toHaveLength(1);
  });

  it('traces are none without the SDK, and the gateway says so and starts', async () => {
    const { query, lines, calls } = await start({}, [withoutSdk]);
    expect(lines(missing)).toHaveLength(1);
    await query(alerts, context);
    expect(calls[0]?.headers).toMatchObject(context);
  });

  it('traces of what instruments node:http and undici have the spans of the gateway between', async () => {
    // The gateway leaves the SDK to what is there.
    const { query, calls, lines, named, spans } = await start({}, [
      './test/support/process/preloaded-tracing.ts',
    ]);
    await query(alerts, { ...context, baggage: 'of=the-caller' });
    const [execution] = await named('query');
    const [call] = await named('observability.listAlerts');
    const [request] = await named('GET');
    const [server] = await named('POST');
    expect(spans().filter(({ kind }) => kind === 2)).toEqual([server]);
    expect([server?.parentSpanId, server?.scope]).toEqual([
      ...['b7ad6b7169203331', '@opentelemetry/instrumentation-http'],
    ]);
    expect(execution).toMatchObject({ scope: 'sluice', parentSpanId: server?.spanId });
    expect(call).toMatchObject({ scope: 'sluice', kind: 3, parentSpanId: execution?.spanId });
    expect(request).toMatchObject({ kind: 3, parentSpanId: call?.spanId });
    // One context, that of the innermost span.
    expect(calls.map(({ headers }) => headers.traceparent)).toEqual([
      `00-${server?.traceId}-${request?.spanId}-01`,
    ]);
    expect(lines(missing)).toEqual([]);
  });
});

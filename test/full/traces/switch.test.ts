import { describe, expect, it } from 'vitest';
import { asksForTraces } from '../../../src/gateway/tracing.ts';
import { type Answer, data, result } from '../../support/harness.ts';
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

const start = (env: Readonly<Record<string, string>>, ...imports: readonly string[]) =>
  startProcess({ management: () => result([]), observability: () => data([]), env, imports });

const lost = 'OpenTelemetry has met an error, and spans may be lost';
const missing = 'no traces, as @opentelemetry/sdk-node is not installed';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318' };

it.each([
  [{}, false],
  [{ OTEL_SERVICE_NAME: 'sluice', OTEL_TRACES_SAMPLER: 'always_on' }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, false],
  [endpoint, true],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector.example:4318' }, true],
  [{ OTEL_TRACES_EXPORTER: 'otlp' }, true],
  [{ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }, false],
  [{ ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }, false],
  [{ ...endpoint, OTEL_SDK_DISABLED: 'false' }, true],
])('traces are asked for by %j: %s', (env, expected) => {
  expect(asksForTraces(env)).toBe(expected);
});

describe('traces', () => {
  it('that are switched off load no module of the SDK, and the headers of callers pass', async () => {
    const collector = await startCollector();
    const gateway = await start({ ...collector.env, OTEL_SDK_DISABLED: 'true' }, tellingPackages);
    await gateway.query('{ alerts { name } }', context);
    const { errors } = await gateway.stop();
    expect(errors.trim().split('\n')).toEqual(['@opentelemetry/api']);
    expect(collector.requests).toEqual([]);
    expect(gateway.calls[0]?.headers).toMatchObject(context);
  });

  it('load the SDK, which reads its own variables', async () => {
    const collector = await startCollector();
    const own = {
      OTEL_SERVICE_NAME: 'gateway-of-a-team',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging',
    };
    const gateway = await start({ ...collector.env, ...own }, tellingPackages);
    await gateway.query('{ alerts { name } }');
    const [server] = await collector.named('POST /graphql');
    expect(gateway.output.errors).toContain('@opentelemetry/sdk-node');
    expect(server?.resource).toMatchObject({
      'service.name': 'gateway-of-a-team',
      'service.version': expect.any(String),
      'deployment.environment.name': 'staging',
    });
  });

  it('that the sampler leaves out are not exported, and upstreams are told so', async () => {
    const collector = await startCollector();
    const gateway = await start({ ...collector.env, OTEL_TRACES_SAMPLER: 'always_off' });
    await gateway.query('{ alerts { name } }', context);
    await gateway.stop();
    expect(collector.requests).toEqual([]);
    expect(gateway.calls[0]?.headers.traceparent).toMatch(
      /^00-0af7651916cd43dd8448eb211c80319c-(?!b7ad6b7169203331)[0-9a-f]{16}-00$/,
    );
  });

  it('that are left when the gateway stops are exported, as protobuf unless JSON is asked for', async () => {
    const collector = await startCollector();
    const gateway = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin });
    await gateway.query('{ alerts { name } }');
    expect(await gateway.stop()).toMatchObject({ code: 0 });
    const type = 'application/x-protobuf';
    expect(collector.requests).toMatchObject([{ path: '/v1/traces', type }]);
    for (const name of ['POST /graphql', 'query', 'observability.listAlerts']) {
      expect(collector.text()).toContain(name);
    }
  });

  it('that a collector refuses are a warning, which quotes nothing', async () => {
    const collector = await startCollector(400);
    const key = { OTEL_EXPORTER_OTLP_HEADERS: 'api-key=cnry-key' };
    const gateway = await start({ ...collector.env, ...key });
    await gateway.query('{ alerts { name } }');
    await gateway.logged(lost);
    expect(gateway.output.text).not.toContain('cnry');
    expect(gateway.output.text).not.toContain(collector.origin);
  });

  it('that a collector takes are no warning, whether callers wait or leave', async () => {
    const collector = await startCollector();
    const held = Promise.withResolvers<Answer>();
    const gateway = await startProcess({
      management: () => held.promise,
      observability: () => data([]),
      env: collector.env,
    });
    await gateway.query('{ alerts { name } }');
    await gateway.query('{ nothing }');
    const leaving = new AbortController();
    const { signal } = leaving;
    const left = gateway.query('{ organizations { name } }', {}, { signal });
    await until(() => gateway.calls.some(({ upstream }) => upstream === 'management'));
    leaving.abort();
    await expect(left).rejects.toThrow();
    await collector.named('query', 2);
    held.resolve(result([]));
    await collector.named('POST /graphql', 3);
    await gateway.stop();
    expect(gateway.lines(lost)).toEqual([]);
  });

  it('keep the gateway no longer than requests may where a collector does not answer', async () => {
    const collector = await startCollector('never');
    // The SDK would wait for so long.
    const hour = { OTEL_EXPORTER_OTLP_TIMEOUT: '3600000', OTEL_BSP_EXPORT_TIMEOUT: '3600000' };
    const gateway = await start({ ...collector.env, ...hour });
    await gateway.query('{ alerts { name } }');
    await until(() => collector.requests.length > 0);
    expect(await gateway.stop()).toMatchObject({ code: 0 });
    const kind = 'TimeoutError';
    expect(gateway.lines('the last spans were not exported')).toMatchObject([{ kind }]);
    expect(gateway.lines('stopped')).toHaveLength(1);
  });

  it('are none without the SDK, and the gateway says so and starts', async () => {
    const collector = await startCollector();
    const gateway = await start(collector.env, withoutSdk);
    expect(gateway.lines(missing)).toHaveLength(1);
    await gateway.query('{ alerts { name } }', context);
    expect(gateway.calls[0]?.headers).toMatchObject(context);
  });

  it('of what instruments node:http and undici have the spans of the gateway between', async () => {
    const collector = await startCollector();
    // The gateway leaves the SDK to what is there.
    const { query, calls, lines } = await start(
      collector.env,
      './test/support/process/preloaded-tracing.ts',
    );
    await query('{ alerts { name } }', { ...context, baggage: 'of=the-caller' });
    const [execution] = await collector.named('query');
    const [call] = await collector.named('observability.listAlerts');
    const [request] = await collector.named('GET');
    const [server] = await collector.named('POST');
    expect(collector.spans().filter(({ kind }) => kind === 2)).toEqual([server]);
    expect(server).toMatchObject({
      parentSpanId: 'b7ad6b7169203331',
      scope: '@opentelemetry/instrumentation-http',
    });
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

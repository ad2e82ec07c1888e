import { describe, expect, it } from 'vitest';
import { asksForTraces } from '../../../src/gateway/tracing.ts';
import { type Answer, data, result } from '../../support/harness.ts';
import { until } from '../../support/process/run-main.ts';
import { startCollector } from '../../support/traces/collector.ts';
import { collected, startProcess } from '../../support/traces/gateway.ts';
import { tellingPackages, withoutSdk } from '../../support/traces/modules.ts';

const context = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  tracestate: 'vendor=value',
};

const start = (env: Readonly<Record<string, string>>, preload?: string) =>
  startProcess({
    management: () => result([]),
    observability: () => data([]),
    env,
    ...(preload !== undefined && {
      command: [process.execPath, '--import', preload, 'src/main.ts'],
    }),
  });

describe('traces are asked for', () => {
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector.example:4318';

  it.each([
    [{}, false],
    [{ OTEL_SERVICE_NAME: 'sluice', OTEL_TRACES_SAMPLER: 'always_on' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT }, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: OTEL_EXPORTER_OTLP_ENDPOINT }, true],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, true],
    [{ OTEL_TRACES_EXPORTER: 'none' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'true' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'false' }, true],
  ])('by %j: %s', (env, expected) => {
    expect(asksForTraces(env)).toBe(expected);
  });
});

describe('where they are not', () => {
  it.each([
    ['nothing is set', () => ({})],
    [
      'they are switched off',
      (env: Readonly<Record<string, string>>) => ({
        ...env,
        OTEL_SDK_DISABLED: 'true',
      }),
    ],
  ])("no module of the SDK is loaded, and the caller's headers pass: %s", async (_, envOf) => {
    const collector = await startCollector();
    const gateway = await start(envOf(collector.env), tellingPackages);
    await gateway.query('{ alerts { name } }', { headers: context });
    const { errors } = await gateway.stop();
    expect(errors.trim().split('\n')).toEqual(['@opentelemetry/api']);
    expect(collector.requests).toEqual([]);
    expect(gateway.calls[0]?.headers).toMatchObject(context);
  });
});

describe('where they are', () => {
  it('the SDK is loaded, and reads its own variables', async () => {
    const collector = await startCollector();
    const gateway = await start(
      {
        ...collector.env,
        OTEL_SERVICE_NAME: 'gateway-of-a-team',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging',
      },
      tellingPackages,
    );
    await gateway.query('{ alerts { name } }');
    const [server] = await collected(collector, 'POST /graphql');
    expect(gateway.output.errors).toContain('@opentelemetry/sdk-node');
    expect(server?.resource).toMatchObject({
      'service.name': 'gateway-of-a-team',
      'service.version': expect.any(String),
      'deployment.environment.name': 'staging',
    });
  });

  it('nothing is exported that the sampler leaves out, and upstreams are told so', async () => {
    const collector = await startCollector();
    const gateway = await start({ ...collector.env, OTEL_TRACES_SAMPLER: 'always_off' });
    await gateway.query('{ alerts { name } }', { headers: context });
    await gateway.stop();
    expect(collector.requests).toEqual([]);
    expect(gateway.calls[0]?.headers.traceparent).toMatch(
      /^00-0af7651916cd43dd8448eb211c80319c-(?!b7ad6b7169203331)[0-9a-f]{16}-00$/,
    );
  });

  it('what is left when the gateway stops is exported, as protobuf unless JSON is asked for', async () => {
    const collector = await startCollector();
    const gateway = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin });
    await gateway.query('{ alerts { name } }');
    expect(await gateway.stop()).toMatchObject({ code: 0 });
    expect(collector.requests).toMatchObject([
      { path: '/v1/traces', type: 'application/x-protobuf' },
    ]);
    for (const name of ['POST /graphql', 'query', 'observability.listAlerts']) {
      expect(collector.text()).toContain(name);
    }
  });

  it('a collector that refuses them is a warning, which quotes nothing', async () => {
    const collector = await startCollector(400);
    const key = 'api-key=cnry-key';
    const gateway = await start({ ...collector.env, OTEL_EXPORTER_OTLP_HEADERS: key });
    await gateway.query('{ alerts { name } }');
    const message = 'OpenTelemetry has met an error, and spans may be lost';
    await gateway.logged(message);
    const before = collector.requests.length;
    await gateway.query('{ alerts { name } }');
    await until(() => collector.requests.length > before);
    await gateway.stop();
    expect(gateway.lines(message)).toHaveLength(1);
    expect(gateway.output.text).not.toContain('cnry');
    expect(gateway.output.text).not.toContain(collector.origin);
  });

  it('a collector that takes them is no reason for a warning, whether callers wait or leave', async () => {
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
    const left = gateway.query('{ organizations { name } }', { signal: leaving.signal });
    await until(() => gateway.calls.some(({ upstream }) => upstream === 'management'));
    leaving.abort();
    await expect(left).rejects.toThrow();
    await collected(collector, 'query', 2);
    held.resolve(result([]));
    await gateway.query('{ alerts { name } }');
    await collected(collector, 'POST /graphql', 4);
    await gateway.stop();
    expect(gateway.lines('OpenTelemetry has met an error, and spans may be lost')).toEqual([]);
  });

  it('the gateway starts without the SDK too, and says that it is missing', async () => {
    const collector = await startCollector();
    const gateway = await start(collector.env, withoutSdk);
    expect(gateway.lines('no traces, as @opentelemetry/sdk-node is not installed')).toHaveLength(1);
    await gateway.query('{ alerts { name } }', { headers: context });
    expect(gateway.calls[0]?.headers).toMatchObject(context);
  });
});

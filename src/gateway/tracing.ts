import {
  type DiagLogger,
  DiagLogLevel,
  diag,
  ProxyTracerProvider,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { errorFacts, type Log } from '../log.ts';
import { untilAborted } from '../upstream/sending/abort.ts';

/** Exports the gateway's spans. */
export interface Tracing {
  readonly tracer: Tracer;
  /** Exports the remaining spans; stops waiting for the export when the signal is aborted. */
  stop(signal: AbortSignal): Promise<void>;
}

/** Whether a module that was loaded before the gateway already exports spans. */
const hasProvider = (): boolean => {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider && !provider.getDelegateTracer('sluice'));
};

/** A development dependency here: it is large, and only deployments that trace need it. */
const loadSdk = async (log: Log) => {
  try {
    return await import('@opentelemetry/sdk-node');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') {
      log.warn('no traces, as @opentelemetry/sdk-node is not installed');
      return undefined;
    }
    throw error;
  }
};

const silenceMs = 60_000;

/** OpenTelemetry's messages may quote its settings, among them a key of the collector. */
const createDiagLogger = (log: Log): DiagLogger => {
  let toldAt = -Infinity;
  const nothing = (): void => undefined;
  return {
    error: () => {
      if (performance.now() < toldAt + silenceMs) return;
      toldAt = performance.now();
      log.warn('OpenTelemetry has met an error, and spans may be lost');
    },
    ...{ warn: nothing, info: nothing, debug: nothing, verbose: nothing },
  };
};

/**
 * Whether OpenTelemetry's variables ask for traces: they say where or how to export, and do not switch traces off. They
 * are not settings of the gateway, since the SDK reads these and many more.
 */
export const asksForTraces = (
  environment: Readonly<Record<string, string | undefined>>,
): boolean => {
  const given = (name: string): string => environment[name]?.trim() ?? '';
  const exporter = given('OTEL_TRACES_EXPORTER');
  const isOff = given('OTEL_SDK_DISABLED').toLowerCase() === 'true' || /\bnone\b/i.test(exporter);
  const endpoint =
    given('OTEL_EXPORTER_OTLP_ENDPOINT') || given('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  return !isOff && (endpoint || exporter) !== '';
};

const timeIsUp = (): Error => new DOMException('The time to stop is up.', 'TimeoutError');

/**
 * Starts OpenTelemetry's SDK, which reads its own variables. Starts it only if they ask for traces and no module loaded
 * before the gateway already exports spans.
 *
 * @param isAskedFor whether the variables ask for traces
 * @returns undefined if nothing exports spans; then no module of the SDK is loaded
 */
export const startTracing = async (
  isAskedFor: boolean,
  version: string,
  log: Log,
): Promise<Tracing | undefined> => {
  // Only the code that loaded the provider may stop it.
  if (hasProvider())
    return { tracer: trace.getTracer('sluice', version), stop: async () => undefined };
  const loaded = isAskedFor ? await loadSdk(log) : undefined;
  if (!loaded) return undefined;
  const { NodeSDK, resources } = loaded;
  diag.setLogger(createDiagLogger(log), {
    logLevel: DiagLogLevel.ERROR,
    suppressOverrideMessage: true,
  });
  const own = { 'service.name': 'sluice', 'service.version': version };
  const sdk = new NodeSDK({
    // OpenTelemetry's variables take precedence over these attributes.
    resource: resources.defaultResource().merge(resources.resourceFromAttributes(own)),
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  const stop = async (signal: AbortSignal): Promise<void> => {
    const shutdown = sdk.shutdown();
    // The shutdown may fail after the wait for it has ended.
    shutdown.catch(() => undefined);
    try {
      await untilAborted(shutdown, signal, timeIsUp);
    } catch (error) {
      log.warn(errorFacts(error), 'the last spans were not exported');
    }
  };
  return { tracer: trace.getTracer('sluice', version), stop };
};

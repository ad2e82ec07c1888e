import { tracing } from '@opentelemetry/sdk-node';
import { startGateway } from '../gateway.ts';

/** The span of a request that the gateway itself fails at, with its OTLP's number of a kind. */
export const serverFault = async () => {
  const exporter = new tracing.InMemorySpanExporter();
  const provider = new tracing.BasicTracerProvider({
    spanProcessors: [new tracing.SimpleSpanProcessor(exporter)],
  });
  const gateway = await startGateway(
    {},
    {
      tracing: { tracer: provider.getTracer('sluice'), stop: () => provider.forceFlush() },
      plugins: [
        {
          onParse: () => {
            throw new RangeError('cnry');
          },
        },
      ],
    },
  );
  await fetch(`${gateway.url}?query={__typename}`, {
    headers: { accept: 'application/graphql-response+json' },
  });
  await gateway.end();
  return exporter.getFinishedSpans().map(({ name, kind, attributes, status, events }) => ({
    ...{ name, kind: kind + 1, attributes, status, events },
  }));
};

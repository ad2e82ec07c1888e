import { onTestFinished } from 'vitest';
import { credentials, type StackOptions, startBackends } from './harness.ts';
import { post } from './http/requests.ts';
import { node, run, until } from './process/run-main.ts';
import { serve } from './servers.ts';

type Attributes = Readonly<Record<string, unknown>>;
/** Attributes as they are sent: each value under the name of its type, such as `{ stringValue: 'a' }`. */
type Sent = readonly { readonly key: string; readonly value: Attributes }[];

interface Span<Of> {
  readonly name: string;
  /** OTLP's numbers: 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Of;
  readonly events: readonly { readonly name: string; readonly attributes: Of }[];
  readonly status: { readonly code?: number; readonly message?: string };
}

/** A span as a collector receives it, with its resource. */
export interface CollectedSpan extends Span<Attributes> {
  readonly resource: Attributes;
  readonly scope: string;
}

const shown = ({ intValue, arrayValue, ...other }: Attributes): unknown => {
  const { values } = (arrayValue ?? {}) as { readonly values?: readonly Attributes[] };
  if (values) return values.map(shown);
  return intValue === undefined ? Object.values(other)[0] : Number(intValue);
};

const attributesOf = (sent: Sent): Attributes =>
  Object.fromEntries(sent.map(({ key, value }) => [key, shown(value)]));

interface Exported {
  readonly resource: { readonly attributes: Sent };
  readonly scopeSpans: readonly {
    readonly scope: { name: string };
    readonly spans: Span<Sent>[];
  }[];
}

const spansOf = (all: readonly Exported[]): readonly CollectedSpan[] =>
  all.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ scope, spans }) =>
      spans.map(({ events, attributes, ...span }) => ({
        ...{ ...span, attributes: attributesOf(attributes) },
        events: events.map((event) => ({
          ...{ name: event.name, attributes: attributesOf(event.attributes) },
        })),
        ...{ resource: attributesOf(resource.attributes), scope: scope.name },
      })),
    ),
  );

/** A collector of OTLP over HTTP, until the test ends. It answers with this status, or never. */
export const startCollector = async (status: number | 'never' = 200) => {
  const requests: { readonly path: string; readonly type: string; readonly body: Buffer }[] = [];
  const { origin } = await serve(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const { url: path = '', headers } = request;
    requests.push({ path, type: headers['content-type'] ?? '', body });
    if (status !== 'never') response.writeHead(status).end();
  });
  const texts = () => requests.map(({ body }) => body.toString('utf8'));
  const spans = () => texts().flatMap((text) => spansOf(JSON.parse(text).resourceSpans));
  return {
    origin,
    requests,
    spans,
    /** All received JSON. */
    text: () => texts().join('\n'),
    /** The spans with this name, when there are at least `count`. */
    named: async (name: string, count = 1): Promise<readonly CollectedSpan[]> => {
      const found = () => spans().filter((span) => span.name === name);
      await until(() => found().length >= count);
      return found();
    },
    /** Environment variables of the gateway for fast exports in JSON. */
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: origin,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '20',
    },
  };
};

interface TracedOptions extends Pick<StackOptions, 'management' | 'observability'> {
  readonly env: Readonly<Record<string, string>>;
  /** Modules that are loaded before the gateway. */
  readonly imports?: readonly string[];
}

/** The gateway in a separate process, in front of recording backends, until the test ends. */
export const startProcess = async ({ env, imports = [], ...answering }: TracedOptions) => {
  const backends = await startBackends(answering);
  onTestFinished(backends.close);
  const [program, main] = node;
  const loaded = imports.flatMap((module) => ['--import', module]);
  const gateway = run({ ...backends.env, PORT: '0', ...env }, [program, ...loaded, main]);
  const { port } = await gateway.logged('listening');
  const url = `http://127.0.0.1:${port}/graphql`;
  return {
    ...gateway,
    url,
    calls: backends.calls,
    /** Sends an operation with both credentials. */
    query: (query: string, headers = {}, ...more: [Parameters<typeof post>[3]?]) =>
      post(url, query, { ...credentials, ...headers }, ...more),
    /** Stops the gateway as an orchestrator does, and waits until it has ended. */
    stop: () => {
      gateway.child.kill('SIGTERM');
      return gateway.ended;
    },
  };
};

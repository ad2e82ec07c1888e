import { serve } from '../servers.ts';

type Value =
  | { readonly stringValue: string }
  | { readonly intValue: number | string }
  | { readonly doubleValue: number }
  | { readonly arrayValue: { readonly values: readonly Value[] } };

interface Sent {
  readonly key: string;
  readonly value: Value;
}

type Attributes = Readonly<Record<string, unknown>>;

/** A span as a collector has it. */
export interface CollectedSpan {
  readonly name: string;
  /** By OTLP's numbers: 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly traceState: string | undefined;
  readonly endTimeUnixNano: string;
  readonly attributes: Attributes;
  readonly events: readonly { readonly name: string; readonly attributes: Attributes }[];
  readonly status: { readonly code?: number; readonly message?: string };
  readonly resource: Attributes;
  /** Who made it. */
  readonly scope: string;
}

interface Exported {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Sent[] };
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string };
      readonly spans: readonly (Omit<CollectedSpan, 'attributes' | 'events'> & {
        readonly attributes: readonly Sent[];
        readonly events: readonly { readonly name: string; readonly attributes: readonly Sent[] }[];
      })[];
    }[];
  }[];
}

const shown = (value: Value): unknown => {
  if ('arrayValue' in value) return value.arrayValue.values.map(shown);
  const [given] = Object.values(value);
  return 'intValue' in value ? Number(given) : given;
};

const attributesOf = (sent: readonly Sent[]): Attributes =>
  Object.fromEntries(sent.map(({ key, value }) => [key, shown(value)]));

const spansOf = ({ resourceSpans }: Exported): readonly CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ scope, spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: attributesOf(span.attributes),
        events: span.events.map(({ name, attributes }) => ({
          name,
          attributes: attributesOf(attributes),
        })),
        resource: attributesOf(resource.attributes),
        scope: scope.name,
      })),
    ),
  );

/** A collector of OTLP over HTTP, until the test ends. It answers with this status, or not at all. */
export const startCollector = async (status: number | 'never' = 200) => {
  const requests: { readonly path: string; readonly type: string; readonly body: Buffer }[] = [];
  const { origin } = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { url: path = '', headers } = request;
    requests.push({ path, type: headers['content-type'] ?? '', body: Buffer.concat(chunks) });
    if (status !== 'never') response.writeHead(status).end();
  });
  return {
    origin,
    requests,
    /** All that it has received, where that is JSON. */
    text: () => requests.map(({ body }) => body.toString('utf8')).join('\n'),
    spans: () =>
      requests.flatMap(({ body }) => spansOf(JSON.parse(body.toString('utf8')) as Exported)),
    /** As environment variables of the gateway: JSON, and soon. */
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: origin,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '20',
    },
  };
};

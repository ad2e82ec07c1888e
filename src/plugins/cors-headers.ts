/** The headers that pages of listed origins may send. */
export const corsHeaders = [
  // The gateway reads these.
  'content-type',
  'authorization',
  'management-authorization',
  'observability-authorization',
  'cache-control',
  'sluice-explain',
  'x-request-id',
  'traceparent',
  'tracestate',
  // Common libraries add these to every request. The gateway ignores them, but without permission a browser would not
  // send the request.
  'apollographql-client-name',
  'apollographql-client-version',
  'baggage',
  'sentry-trace',
  'x-datadog-origin',
  'x-datadog-parent-id',
  'x-datadog-sampling-priority',
  'x-datadog-tags',
  'x-datadog-trace-id',
] as const;

/** The headers of agents' messages. */
export const mcpHeaders = ['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

/** The headers that pages of listed origins may send without any setting. */
export const corsHeaders = [
  // What the gateway reads.
  'content-type',
  'authorization',
  'management-authorization',
  'observability-authorization',
  'cache-control',
  'sluice-explain',
  'x-request-id',
  'traceparent',
  'tracestate',
  // What common libraries add to every request. The gateway ignores them, but without permission a browser sends nothing.
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

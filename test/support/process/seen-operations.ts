/** What the gateway of seen-operations.test.ts tells. */
export type FromGateway =
  | { readonly port: number }
  | { readonly byPlugin: readonly string[]; readonly byInstrumentation: readonly string[] };

/** A module that instruments node:http as tracing does: from outside, before the gateway is loaded. */
export const instrumentation = `data:text/javascript,${encodeURIComponent(`
  import { subscribe } from 'node:diagnostics_channel';
  const seen = [];
  globalThis.seenByInstrumentation = seen;
  subscribe('http.server.request.start', ({ request }) => {
    seen.push(request.method + ' ' + request.headers.accept);
  });
`)}`;

import type { GatewayPlugin } from './plugin.ts';

/** What every response has but GraphiQL's page, which runs its own scripts. */
const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

/** What pages of the origins that are listed may send. */
const preflightHeaders = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers':
    'content-type, authorization, management-authorization, observability-authorization, x-request-id, traceparent, tracestate, cache-control, sluice-explain',
  'access-control-max-age': '600',
};

/**
 * Has browsers do nothing with a response but hand it to a page that may read it: a page of the gateway's own origin,
 * or of one that is listed (CORS). Yoga's `cors` is not used, as it answers preflights of every origin, and leaves out
 * `vary` where no origin came. Credentials are headers that a page sets itself, so `access-control-allow-credentials`,
 * which is about cookies, is never sent.
 *
 * The headers are set on Node's response, so that they stand on whatever is sent, whoever made it.
 */
export const useBrowserSafety = (origins: readonly string[]): GatewayPlugin => {
  const listed = new Set(origins);
  return {
    onRequest: ({ serverContext: { req, res }, endResponse, fetchAPI }) => {
      for (const [name, value] of Object.entries(securityHeaders)) res.setHeader(name, value);
      if (listed.size === 0) return;
      res.setHeader('vary', 'origin');
      const { origin } = req.headers;
      if (origin === undefined || !listed.has(origin)) return;
      res.setHeader('access-control-allow-origin', origin);
      res.setHeader('access-control-expose-headers', 'age, x-request-id');
      if (req.method !== 'OPTIONS') return;
      endResponse(new fetchAPI.Response(null, { status: 204, headers: { ...preflightHeaders } }));
    },
    onResponse: ({ response }) => {
      // Yoga would have a stream of events kept, if only to be asked about again.
      if (response.headers.get('cache-control') === 'no-cache') {
        response.headers.set('cache-control', securityHeaders['cache-control']);
      }
    },
  };
};

import type { IncomingMessage, ServerResponse } from 'node:http';

/** What every answer has but GraphiQL's page, which runs its own scripts. */
export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

/** What pages of the origins that are listed may do. */
const allowed = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers':
    'content-type, authorization, management-authorization, observability-authorization, x-request-id, traceparent, tracestate, sluice-explain',
  'access-control-max-age': '600',
};

/** Lets pages of listed origins read an answer, and answers preflights; pages of no other origin may. */
export type AllowOrigin = (
  request: IncomingMessage,
  response: ServerResponse,
) => 'answered' | 'open';

/** @param origins those whose pages may read answers */
export const createAllowOrigin = (origins: readonly string[]): AllowOrigin => {
  if (origins.length === 0) return () => 'open';
  const listed = new Set(origins);
  return (request, response) => {
    response.setHeader('vary', 'origin');
    const { origin } = request.headers;
    if (origin === undefined || !listed.has(origin)) return 'open';
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('access-control-expose-headers', 'x-request-id');
    if (request.method !== 'OPTIONS') return 'open';
    response.writeHead(204, { ...securityHeaders, ...allowed });
    response.end();
    return 'answered';
  };
};

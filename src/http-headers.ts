import type { IncomingMessage, ServerResponse } from 'node:http';

/** What pages of the origins that are listed may do; pages of no other origin may read an answer. */
const allowed = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers':
    'content-type, authorization, management-authorization, observability-authorization, x-request-id, traceparent, tracestate, sluice-explain',
  'access-control-max-age': '600',
};

/** Sets the headers of an answer that depend on the request's head alone, and answers preflights. */
export type SetHeaders = (
  request: IncomingMessage,
  response: ServerResponse,
) => 'answered' | 'open';

/** @param origins those whose pages may read answers */
export const createSetHeaders = (origins: readonly string[]): SetHeaders => {
  const listed = new Set(origins);
  return (request, response) => {
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader('referrer-policy', 'no-referrer');
    response.setHeader('cache-control', 'no-store');
    response.setHeader('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
    if (listed.size === 0) return 'open';
    response.setHeader('vary', 'origin');
    const { origin } = request.headers;
    if (origin === undefined || !listed.has(origin)) return 'open';
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('access-control-expose-headers', 'x-request-id');
    if (request.method !== 'OPTIONS') return 'open';
    response.writeHead(204, allowed);
    response.end();
    return 'answered';
  };
};

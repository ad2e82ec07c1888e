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

/** The headers by which a page of this origin may read an answer, if it is listed; none where no origin is. */
export type OriginHeaders = (origin: string | undefined) => Readonly<Record<string, string>>;

/** @param origins those whose pages may read answers */
export const createOriginHeaders = (origins: readonly string[]): OriginHeaders => {
  if (origins.length === 0) return () => ({});
  const listed = new Set(origins);
  const vary = { vary: 'origin' };
  return (origin) =>
    origin === undefined || !listed.has(origin)
      ? vary
      : {
          ...vary,
          'access-control-allow-origin': origin,
          'access-control-expose-headers': 'x-request-id',
        };
};

/** Lets pages of listed origins read an answer, and answers preflights; pages of no other origin may. */
export const allowOrigin = (
  request: IncomingMessage,
  response: ServerResponse,
  originHeaders: OriginHeaders,
): 'answered' | 'open' => {
  const headers = originHeaders(request.headers.origin);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  const isListed = 'access-control-allow-origin' in headers;
  if (!isListed || request.method !== 'OPTIONS') return 'open';
  response.writeHead(204, { ...securityHeaders, ...allowed });
  response.end();
  return 'answered';
};

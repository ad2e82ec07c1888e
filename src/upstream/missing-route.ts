import type { UpstreamName } from './error.ts';
import type { AnyOperation } from './operation.ts';

/** The body of a 404, as far as it tells who answered. */
export type NotFoundBody = 'json' | 'html' | 'other';

/**
 * Whether a 404 says that the upstream has no such route, where it might as well say that there is no such thing.
 *
 * Services answer for a thing with JSON, and routers for a route with a page. Observability answers for some things in
 * plain words too: of these, a documented operation with an identifier stays a thing that is missing. A read beyond the
 * document is a route that is missing, since its list then decides.
 */
export const isMissingRoute = (
  upstream: UpstreamName,
  { method, path, documented }: Pick<AnyOperation, 'method' | 'path' | 'documented'>,
  body: NotFoundBody,
): boolean => {
  const namesThing = path.includes('{');
  // A list of everything cannot be missing for want of a thing; what is written may name one that is.
  if (method === 'GET' && !namesThing) return true;
  if (body === 'json') return false;
  if (body === 'html') return true;
  return upstream === 'management' || !namesThing || !documented;
};

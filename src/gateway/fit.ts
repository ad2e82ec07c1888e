import type { IncomingMessage } from 'node:http';

/** The path and query of a request target, which may be a whole URL (RFC 9112, section 3.2.2). */
const pathOf = (target: string): string => {
  if (target.startsWith('/') || !URL.canParse(target)) return target;
  const { pathname, search } = new URL(target);
  return `${pathname}${search}`;
};

/**
 * Replaces the URL and host of a request with values that Yoga and the plugins can parse, since callers may send any text.
 */
export const makeFit = (req: IncomingMessage): void => {
  const { headers, url = '/' } = req;
  req.url = pathOf(url);
  // Yoga builds a URL from the host, and not every host that a request may name is valid in a URL.
  headers.host = 'gateway.invalid';
};

import type { IncomingMessage } from 'node:http';

/** The path and query of a request target, which may be a whole URL (RFC 9112, section 3.2.2). */
const pathOf = (target: string): string => {
  if (target.startsWith('/') || !URL.canParse(target)) return target;
  const { pathname, search } = new URL(target);
  return `${pathname}${search}`;
};

/** Makes a request's URL and host fit for parsing by Yoga and the plugins, since callers may send any text. */
export const makeFit = (req: IncomingMessage): void => {
  const { headers, url = '/' } = req;
  req.url = pathOf(url);
  // Yoga builds a URL from the host. A request may name hosts that are not valid in a URL.
  headers.host = 'gateway.invalid';
};

import type { IncomingMessage } from 'node:http';

/** The path and query of a request target, which may be a whole URL (RFC 9112, section 3.2.2). */
const pathOf = (target: string): string => {
  if (target.startsWith('/') || !URL.canParse(target)) return target;
  const { pathname, search } = new URL(target);
  return `${pathname}${search}`;
};

/** Changes what Yoga and the plugins read of a request in a way that not every request is fit for. */
export const makeFit = (req: IncomingMessage): void => {
  const { headers, url = '/' } = req;
  req.url = pathOf(url);
  // Yoga makes an URL of it, and not every host that a request may name can stand in one.
  headers.host = 'gateway.invalid';
};

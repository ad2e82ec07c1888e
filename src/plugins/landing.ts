import { acceptedBy } from '../negotiation.ts';
import type { GatewayPlugin } from './plugin.ts';

const methods = ['GET', 'HEAD'];

/**
 * Answers `/`, where people get who type the address alone and tools that were given no path.
 * A path that does not exist gets the same line.
 *
 * A browser is led on to GraphiQL, which is what it gets at the endpoint; a page with nothing but a link would be one more
 * click. All others get a line that names the endpoint, and so does a browser where GraphiQL is switched off: at the endpoint
 * it would get an error. The answer says nothing else, and is the same for everybody.
 */
export const useLanding = (endpoint: string, graphiql: boolean): GatewayPlugin => {
  const line = `The GraphQL endpoint is ${endpoint}.\n`;
  const text = { 'content-type': 'text/plain; charset=utf-8' };
  return {
    onRequest: ({ serverContext: { req, res }, endResponse, fetchAPI }) => {
      const [path] = req.url?.split('?', 1) ?? [];
      if (path !== '/') return;
      const { method = '' } = req;
      const end = (status: number, headers: Record<string, string>, body: string | null): void =>
        endResponse(new fetchAPI.Response(method === 'HEAD' ? null : body, { status, headers }));
      if (!methods.includes(method)) {
        end(405, { ...text, allow: methods.join(', ') }, line);
        return;
      }
      // CORS may have one there already.
      res.appendHeader('vary', 'accept');
      // Relative, as a proxy may have put more before the path.
      if (graphiql && acceptedBy(req.headers.accept).page) {
        end(302, { location: endpoint.slice(1) }, null);
      } else end(200, text, line);
    },
    onResponse: ({ response: { status }, setResponse, fetchAPI }) => {
      // Yoga's own has no body.
      if (status === 404) setResponse(new fetchAPI.Response(line, { status, headers: text }));
    },
  };
};

import type { IncomingMessage } from 'node:http';
import { acceptedBy, mediaTypeOf } from '../negotiation.ts';
import type { GatewayPlugin } from './plugin.ts';

const methods = ['GET', 'HEAD'];

/**
 * Answers `/`, which people open who type only the host name, and tools without a configured path. A path that does not
 * exist gets the same line.
 *
 * A browser is redirected to the endpoint, where it gets GraphiQL. All other clients get a line that names the
 * endpoint; so does a browser if GraphiQL is switched off, since it would get an error at the endpoint. The response is
 * the same for everyone and says nothing else. Answers to tools stay as they are.
 */
export const useLanding = (
  endpoint: string,
  graphiql: boolean,
  isOfTool: (req: IncomingMessage) => boolean = () => false,
): GatewayPlugin => {
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
      // CORS may have set this header already.
      res.appendHeader('vary', 'accept');
      // Relative, since a proxy may have added a prefix to the path.
      if (graphiql && acceptedBy(req.headers.accept).page) {
        end(302, { location: endpoint.slice(1) }, null);
      } else end(200, text, line);
    },
    onResponse: ({
      response: { status, headers },
      serverContext: { req },
      setResponse,
      fetchAPI,
    }) => {
      if (status !== 404 || isOfTool(req)) return;
      // Yoga's own 404 has no body; the 404 to an agent's message has JSON.
      const isOwn = mediaTypeOf(headers.get('content-type')) !== 'application/json';
      if (isOwn) setResponse(new fetchAPI.Response(line, { status, headers: text }));
    },
  };
};

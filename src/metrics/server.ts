import { createServer, type Server, type ServerOptions } from 'node:http';
import type { Scrape } from './metrics.ts';

interface MetricsServerOptions {
  readonly scrape: () => Promise<Scrape>;
  readonly onError: (error: unknown) => void;
  /** How long the server waits for a request. */
  readonly waiting: ServerOptions;
}

/** Each scraper keeps one connection. */
const maxConnections = 16;

/**
 * A server that answers only `GET /metrics` and `GET /healthz`. Callers cannot take up its connections, so it still
 * answers when the main server is full. It is not listening yet.
 */
export const createMetricsServer = ({ scrape, onError, waiting }: MetricsServerOptions): Server => {
  const server = createServer(waiting, async ({ method, url = '' }, response) => {
    const end = (status: number, type: string, text: string): void => {
      response.writeHead(status, { 'content-type': type }).end(text);
    };
    const [path] = url.split('?');
    if (path !== '/metrics' && path !== '/healthz') {
      end(404, 'text/plain', 'Metrics are at /metrics.\n');
      return;
    }
    if (method !== 'GET') {
      response.setHeader('allow', 'GET');
      end(405, 'text/plain', 'Only GET is answered.\n');
      return;
    }
    if (path === '/healthz') {
      end(200, 'application/json', JSON.stringify({ status: 'alive' }));
      return;
    }
    try {
      const { contentType, text } = await scrape();
      end(200, contentType, text);
    } catch (error) {
      onError(error);
      end(500, 'text/plain', 'Unexpected error.\n');
    }
  });
  server.maxConnections = maxConnections;
  return server;
};

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { startServer } from '../servers.ts';

/** An upstream that fails in one way, for as long as it is needed. */
export interface FailingUpstream {
  readonly url: URL;
  close(): Promise<void>;
}

/** A call with all that it brought, as an upstream might quote it. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly url: string;
  readonly authorization: string;
  readonly body: string;
}

/** Headers that an upstream may send, and the gateway must keep. */
const headers = {
  server: 'leaky-nginx/1.2.3',
  'x-powered-by': 'LeakyPHP/5.6',
  'set-cookie': 'leaky=1; Path=/',
  'www-authenticate': 'Basic realm="leaky"',
  'x-served-by': 'leaky.internal',
  via: '1.1 leaky.internal',
};

type Reply = (response: ServerResponse, seen: Seen) => void;

/** An upstream that answers as told, with a word of its own in every place that HTTP has for one. */
export const startReplying = async (reply: Reply): Promise<FailingUpstream> => {
  const server = createServer(async (request: IncomingMessage, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const { method = '', url: path = '' } = request;
    const url = `http://${request.headers.host}${path}`;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.statusMessage = 'leaky reason';
    const authorization = request.headers.authorization ?? '';
    reply(response, { method, path, url, authorization, body });
  });
  const { origin, close } = await startServer(server);
  return { url: new URL(origin), close };
};

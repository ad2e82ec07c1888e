import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { onTestFinished } from 'vitest';
import { SluiceError } from '../../../client/src/index.ts';

/** A server on a free port of loopback, which ends with the test; → its URL. */
export const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}/graphql`;
};

/** A server that answers every request alike. */
export const serveAlike = (
  body: string,
  status = 200,
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
): Promise<string> =>
  serve((request, response) => {
    request.resume();
    response.writeHead(status, headers).end(body);
  });

/** A server that answers with empty data, and the headers of all that came to it. */
export const serveRecording = async (): Promise<{
  readonly url: string;
  readonly received: IncomingHttpHeaders[];
}> => {
  const received: IncomingHttpHeaders[] = [];
  const url = await serve((request, response) => {
    received.push(request.headers);
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":{}}');
  });
  return { url, received };
};

/** The error that a request ends in. */
export const errorOf = async (request: Promise<unknown>): Promise<SluiceError> => {
  const error = await request.then(
    () => new Error('It did not fail'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof SluiceError)) throw error;
  return error;
};

import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { SluiceError } from '../../../client/src/index.ts';
import { serve } from '../servers.ts';

/** A server with this listener, until the test ends; returns its URL. */
export const serveGraphql = async (listener: RequestListener): Promise<string> =>
  `${(await serve(listener)).origin}/graphql`;

/** A server with the same answer to every request. */
export const serveAlike = (
  body: string,
  status = 200,
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
): Promise<string> =>
  serveGraphql((request, response) => {
    request.resume();
    response.writeHead(status, headers).end(body);
  });

/** A server that answers with empty data, and records the headers of all requests. */
export const serveRecording = async (): Promise<{
  readonly url: string;
  readonly received: IncomingHttpHeaders[];
}> => {
  const received: IncomingHttpHeaders[] = [];
  const url = await serveGraphql((request, response) => {
    received.push(request.headers);
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":{}}');
  });
  return { url, received };
};

/** The error of a failed request. */
export const errorOf = async (request: Promise<unknown>): Promise<SluiceError> => {
  const error = await request.then(
    () => new Error('It did not fail'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof SluiceError)) throw error;
  return error;
};

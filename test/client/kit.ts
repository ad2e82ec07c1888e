import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { SluiceError } from '../../client/src/index.ts';
import { serve } from '../support/servers.ts';

/** A server with this listener, until the test ends; returns its URL. */
export const serveGraphql = async (listener: RequestListener): Promise<string> =>
  `${(await serve(listener)).origin}/graphql`;

/** A server that answers every request alike, and the headers of all that came to it. */
export const serveAlike = async (
  body: string,
  status = 200,
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
): Promise<{ readonly url: string; readonly received: IncomingHttpHeaders[] }> => {
  const received: IncomingHttpHeaders[] = [];
  const url = await serveGraphql((request, response) => {
    received.push(request.headers);
    request.resume();
    response.writeHead(status, headers).end(body);
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

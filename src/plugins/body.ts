import type { IncomingMessage } from 'node:http';
import { GraphQLError } from 'graphql';
import type { LimitName } from '../documents/limits.ts';
import type { GatewayPlugin } from './plugin.ts';

const tooLarge = (allowed: number): GraphQLError =>
  new GraphQLError(`The body may have at most ${allowed} bytes.`, {
    extensions: {
      code: 'REQUEST_ENTITY_TOO_LARGE',
      limit: 'bodyBytes' satisfies LimitName,
      allowed,
      http: { status: 413 },
    },
  });

const cutOff = (): GraphQLError =>
  new GraphQLError('The body was cut off.', {
    extensions: { code: 'BAD_REQUEST', http: { status: 400 } },
  });

/** Reads a whole body, or rejects once there are more bytes. The rest is read and discarded. */
const readAtMost = (limit: number, req: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= limit) {
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
      // Not destroyed: that would close the connection before the response is sent. Node's `requestTimeout` ends
      // a body that goes on and on.
      reject(tooLarge(limit));
    });
    req.on('end', () => resolve(Buffer.concat(chunks)));
    req.on('error', () => reject(cutOff()));
  });

/**
 * Refuses bodies above the limit: by `content-length` where there is one, else by counting. Yoga's own
 * `maxRequestBodySize` pipes every body through a stream to count it, which costs more than to parse it.
 */
export const useBodyLimit = (limit: number): GatewayPlugin => ({
  onRequestParse: ({ serverContext: { req }, requestParser, setRequestParser, fetchAPI }) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = req.headers;
    if (length !== undefined && Number(length) > limit) throw tooLarge(limit);
    if (encoding === undefined || req.method !== 'POST' || !requestParser) return;
    setRequestParser(async ({ url, method, headers }) => {
      const body = new Uint8Array(await readAtMost(limit, req));
      return requestParser(new fetchAPI.Request(url, { method, headers, body }));
    });
  },
});

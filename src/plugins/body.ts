import type { IncomingMessage } from 'node:http';
import { GraphQLError } from 'graphql';
import type { LimitName } from '../documents/limits.ts';
import type { GatewayPlugin, ServerContext } from './plugin.ts';

const tooLarge = (allowed: number): GraphQLError =>
  new GraphQLError(`The body may have at most ${allowed} bytes.`, {
    extensions: {
      code: 'REQUEST_ENTITY_TOO_LARGE',
      limit: 'bodyBytes' satisfies LimitName,
      allowed,
      http: { status: 413 },
    },
  });

const badRequest = (message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status: 400 } } });

const cutOff = (): GraphQLError => badRequest('The body was cut off.');

/** Fatal: otherwise U+FFFD would replace invalid bytes, and a mutation would write it. */
const decoder = new TextDecoder('utf-8', { fatal: true });

/** The text of a body, without a byte order mark, as RFC 8259 allows: some editors and shells add one. */
const textIn = (bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes);
  } catch {
    throw badRequest('The body must be UTF-8, and has bytes that are not.');
  }
};

/** Reads a whole body; rejects if it has too many bytes, and then drops the rest. */
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
      // The request is not destroyed, since that would close the connection before the response is sent. Node's
      // `requestTimeout` ends an endless body.
      reject(tooLarge(limit));
    });
    req.on('end', () => resolve(Buffer.concat(chunks)));
    req.on('error', () => reject(cutOff()));
  });

/** Reads a whole body of a known length. A caller that leaves meanwhile is no error of the gateway. */
const readWhole = async (request: Request, req: IncomingMessage): Promise<Uint8Array> => {
  try {
    return await request.bytes();
  } catch (error) {
    throw req.complete ? error : cutOff();
  }
};

/** Express, Fastify and others parse bodies before they call handlers, and a body can be read only once. */
const alreadyRead = (): GraphQLError =>
  new GraphQLError(
    "The body was read before it came to the gateway: put the gateway's handler before what parses bodies, such as express.json().",
    { extensions: { code: 'INTERNAL_SERVER_ERROR', http: { status: 500 } } },
  );

/** Requests whose clients wait for `100 Continue` before they send the body. */
export type Expecting = Pick<WeakSet<IncomingMessage>, 'has'>;

interface Reading extends Pick<ServerContext, 'req' | 'res'> {
  readonly request: Request;
  /** The most bytes of a body. */
  readonly limit: number;
  readonly expecting: Expecting;
}

/** Throws if a body is too large by its `content-length`. */
const checkLength = ({ headers: { 'content-length': length } }: IncomingMessage, limit: number) => {
  if (length !== undefined && Number(length) > limit) throw tooLarge(limit);
};

/** The text of a body. Rejects with a `GraphQLError` if the body is too large, cut off, or not UTF-8. */
export const readBody = async ({
  req,
  res,
  request,
  limit,
  expecting,
}: Reading): Promise<string> => {
  checkLength(req, limit);
  if (req.readableDidRead) throw alreadyRead();
  if (expecting.has(req)) res.writeContinue();
  const isCounted = req.headers['transfer-encoding'] === undefined;
  return textIn(await (isCounted ? readWhole(request, req) : readAtMost(limit, req)));
};

/**
 * Reads bodies, and asks for those that clients keep back. Refuses a body above the limit, by `content-length` or by
 * counting: Yoga's `maxRequestBodySize` pipes every body through a stream to count it, which costs more than parsing
 * it. Also refuses a body that is not UTF-8.
 */
export const useBody = (limit: number, expecting: Expecting): GatewayPlugin => ({
  onRequestParse: ({ serverContext: { req, res }, requestParser, setRequestParser, fetchAPI }) => {
    checkLength(req, limit);
    if (req.method !== 'POST' || !requestParser) return;
    if (req.readableDidRead) throw alreadyRead();
    setRequestParser(async (request) => {
      const { url, method, headers } = request;
      const body = await readBody({ req, res, request, limit, expecting });
      const read = new fetchAPI.Request(url, { method, headers, body });
      // Yoga's own parser would take an object with a member `then` for a promise.
      return requestParser(Object.assign(read, { json: async () => JSON.parse(body) }));
    });
  },
});

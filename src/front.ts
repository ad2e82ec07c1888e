import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { GraphQLError } from 'graphql';
import type { Answer, AnswerPlain } from './answer-plain.ts';
import { printResult } from './execution/print.ts';
import type { Finish } from './finish.ts';
import type { AnswerHealth } from './health.ts';
import { allowOrigin, type OriginHeaders, securityHeaders } from './http-headers.ts';
import { isJson, isPlain } from './plain-request.ts';
import type { HeaderOf, Receive } from './request.ts';

export interface FrontOptions {
  /** The path that GraphQL is served at. */
  readonly path: string;
  readonly maxBodyBytes: number;
  readonly answerPlain: AnswerPlain;
  /** Whether `answerPlain` has given up on the connection's first request already; asked once. */
  readonly isRefused: (socket: Socket) => boolean;
  readonly receive: Receive;
  readonly finish: Finish;
  /** Answers whatever the front does not take. */
  readonly others: RequestListener;
  readonly originHeaders: OriginHeaders;
  readonly answerHealth: AnswerHealth;
  /** Told of an error that leaves a request without an answer: its connection is closed. */
  readonly onFailure: (error: unknown) => void;
}

const tooLong = (allowed: number): GraphQLError =>
  new GraphQLError(`The body may have at most ${allowed} bytes.`, {
    extensions: { code: 'REQUEST_ENTITY_TOO_LARGE', limit: 'bodyBytes', allowed },
  });

/** A body, so far as it may be; how much more of one is read to be thrown away. */
const patience = 16;

/**
 * Hands on the body, or undefined for one that is too long; what is far too long loses its connection.
 * Nothing is handed on of half a body.
 */
const readBody = (
  request: IncomingMessage,
  maxBytes: number,
  onBody: (body: Buffer | undefined) => void,
): void => {
  let chunks: Buffer[] = [];
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
    else chunks = [];
    // Most of it is read, since a caller that is still sending would not see the answer.
    if (bytes > maxBytes * patience) request.destroy();
  });
  request.on('end', () => {
    const [only] = chunks;
    const whole = only && chunks.length === 1 ? only : Buffer.concat(chunks);
    onBody(bytes > maxBytes ? undefined : whole);
  });
  // A connection that breaks is closed already.
  request.on('error', () => undefined);
};

const headerOf =
  ({ headers }: IncomingMessage): HeaderOf =>
  (name) => {
    const value = headers[name];
    return value === undefined ? null : Array.isArray(value) ? value.join(', ') : value;
  };

const commonHeaders: readonly string[] = [
  ...Object.entries(securityHeaders).flat(),
  'content-type',
  'application/json; charset=utf-8',
];

const write = (response: ServerResponse, { status, requestId, json, bytes }: Answer): void => {
  response.writeHead(status, [
    ...commonHeaders,
    'content-length',
    String(bytes),
    'x-request-id',
    requestId,
  ]);
  // As text it leaves in one piece with the head; a buffer would be a second one.
  response.end(json);
};

/**
 * Answers what node:http has read. Plain requests spare the WHATWG Request, Response and their streams, and nothing else:
 * documents, execution and the finishing of results are the same functions. All other requests go to Yoga as they are; so do those
 * that turn out not to be executable, with the body already read, so that each refusal is worded in one place.
 */
export const createFront = (options: FrontOptions): RequestListener => {
  const { answerPlain, receive, finish, originHeaders, answerHealth } = options;

  const others: RequestListener = (request, response) => {
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
    // Yoga makes an URL of it, and not every host that a request may name can stand in one.
    request.headers.host = 'gateway.invalid';
    options.others(request, response);
  };

  const answer = async (
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer | undefined,
  ): Promise<void> => {
    const header = headerOf(request);
    if (body === undefined) {
      const incoming = receive(header);
      incoming.end();
      const refused = finish({ errors: [tooLong(options.maxBodyBytes)] }, incoming);
      const { requestId } = incoming.caller;
      write(response, { status: 413, requestId, ...printResult(refused) });
      return;
    }
    const answered =
      request.url === options.path && isPlain(header) && !options.isRefused(request.socket)
        ? await answerPlain(body, header, ({ end }) => response.on('close', end))
        : undefined;
    if (answered) write(response, answered);
    else others(Object.assign(request, { body: body.toString() }), response);
  };

  return (request, response) => {
    if (allowOrigin(request, response, originHeaders) === 'answered') return;
    if (answerHealth(request.url, response)) return;
    const { 'content-type': mediaType = null } = request.headers;
    // Yoga knows no other spelling.
    if (isJson(mediaType)) request.headers['content-type'] = 'application/json';
    if (request.method !== 'POST') {
      others(request, response);
      return;
    }
    const fail = (error: unknown): void => {
      options.onFailure(error);
      response.destroy();
    };
    readBody(
      request,
      options.maxBodyBytes,
      (body) => void answer(request, response, body).catch(fail),
    );
  };
};

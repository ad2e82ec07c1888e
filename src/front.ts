import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type ExecutionResult, GraphQLError } from 'graphql';
import { printResult } from './execution/print.ts';
import type { Execute } from './executor.ts';
import type { Finish } from './finish.ts';
import type { AnswerHealth } from './health.ts';
import { type AllowOrigin, securityHeaders } from './http-headers.ts';
import { isObject } from './is-object.ts';
import { createBodyParser, type ParsedBody } from './parse-body.ts';
import type { FindText } from './persisted-operations.ts';
import type { Incoming, Receive } from './request.ts';

/** A request that can be executed as it is. */
export interface GraphQLParams {
  readonly query: string;
  readonly operationName?: string | null;
  readonly variables?: Readonly<Record<string, unknown>> | null;
}

/** Executes a request; gives nothing, or a result without data, where it never comes to be executed. */
export type Run = (params: GraphQLParams, incoming: Incoming) => ReturnType<Execute> | undefined;

export interface FrontOptions {
  /** The path that GraphQL is served at. */
  readonly path: string;
  readonly maxBodyBytes: number;
  readonly receive: Receive;
  readonly findText: FindText;
  readonly run: Run;
  readonly finish: Finish;
  /** Whether a text that was executed may stay in memory. */
  readonly mayKeep: (text: string) => boolean;
  /** Answers whatever the front does not take. */
  readonly others: RequestListener;
  readonly allowOrigin: AllowOrigin;
  readonly answerHealth: AnswerHealth;
  /** Told of an error that leaves a request without an answer: its connection is closed. */
  readonly onFailure: (error: unknown) => void;
}

/** POST of JSON of known length to the very endpoint, by a caller who takes JSON. */
const isPlain = ({ method, url, headers }: IncomingMessage, { path }: FrontOptions): boolean => {
  const { accept } = headers;
  return (
    method === 'POST' &&
    url === path &&
    headers['content-type'] === 'application/json' &&
    headers['content-length'] !== undefined &&
    (accept === undefined || accept === '*/*' || accept === 'application/json') &&
    headers['content-encoding'] === undefined
  );
};

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

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));

const known = new Set(['query', 'documentId', 'operationName', 'variables', 'extensions']);

/** The parameters in a body, if they are just what they should be. */
const readParams = (params: unknown, findText: FindText): GraphQLParams | undefined => {
  if (!isObject(params) || !Object.keys(params).every((name) => known.has(name))) return undefined;
  const { operationName, variables, extensions } = params;
  const query = findText(params);
  if (typeof query !== 'string') return undefined;
  if (typeof (operationName ?? '') !== 'string') return undefined;
  if (!isObject(variables ?? {}) || !isObject(extensions ?? {})) return undefined;
  // Checked member by member just above.
  return { query, operationName, variables } as GraphQLParams;
};

const headerOf =
  ({ headers }: IncomingMessage) =>
  (name: string): string | null => {
    const value = headers[name];
    return value === undefined ? null : Array.isArray(value) ? value.join(', ') : value;
  };

const commonHeaders: readonly string[] = [
  ...Object.entries(securityHeaders).flat(),
  'content-type',
  'application/json; charset=utf-8',
];

const write = (
  response: ServerResponse,
  status: number,
  requestId: string,
  result: ExecutionResult,
): void => {
  const { json, bytes } = printResult(result);
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
 * The short way in, for what nearly every request is. It spares the WHATWG Request, Response and their
 * streams, and nothing else: documents, execution and the finishing of results are the same functions.
 * All other requests go to Yoga as they are; so do those that turn out not to be executable, with the
 * body already read, so that each refusal is worded in one place.
 */
export const createFront = (options: FrontOptions): RequestListener => {
  const bodies = createBodyParser();
  const { run, receive, findText, finish, allowOrigin, answerHealth } = options;

  const others: RequestListener = (request, response) => {
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
    // Yoga makes an URL of it, and not every host that a request may name can stand in one.
    request.headers.host = 'gateway.invalid';
    options.others(request, response);
  };

  const parse = (body: Buffer): ParsedBody | undefined => {
    try {
      return bodies.parse(body);
    } catch {
      // Yoga says what is wrong with it.
      return undefined;
    }
  };

  const answer = async (
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer | undefined,
  ): Promise<void> => {
    if (body === undefined) {
      const incoming = receive(headerOf(request));
      incoming.end();
      const refused = finish({ errors: [tooLong(options.maxBodyBytes)] }, incoming);
      return write(response, 413, incoming.caller.requestId, refused);
    }
    const pass = (): void => others(Object.assign(request, { body: body.toString() }), response);
    const parsed = isPlain(request, options) ? parse(body) : undefined;
    const params = parsed && readParams(parsed.value, findText);
    if (!params) return pass();
    const incoming = receive(headerOf(request));
    response.on('close', incoming.end);
    const { requestId } = incoming.caller;
    try {
      const result = await run(params, incoming);
      if (result?.data !== undefined) {
        if (parsed?.isNew && options.mayKeep(params.query)) bodies.learn(body);
        return write(response, 200, requestId, finish(result, incoming));
      }
      incoming.end();
      pass();
    } catch (error) {
      const errors = [new GraphQLError('Unexpected error.', { originalError: asError(error) })];
      write(response, 500, requestId, finish({ errors }, incoming));
    }
  };

  return (request, response) => {
    if (allowOrigin(request, response) === 'answered') return;
    if (answerHealth(request.url, response)) return;
    const mediaType = request.headers['content-type'];
    // Yoga knows this spelling alone, but media types may have capitals, and blanks before a parameter.
    if (mediaType !== 'application/json' && /^application\/json\s*(;|$)/i.test(mediaType ?? '')) {
      request.headers['content-type'] = 'application/json';
    }
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

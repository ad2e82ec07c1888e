import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Refusal } from './refusal.ts';
import { findRoute, type Route } from './routes.ts';

const MAX_BODY_BYTES = 1024 * 1024;

/** An answer before it is written. */
export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** A REST interface: its routes, and how it recognises callers and words its answers. */
export type RestInterface<Caller> = {
  readonly routes: readonly Route<Caller>[];
  /** Judges the credential; throws a Refusal of status 401 or 403. */
  readonly authenticate: (request: IncomingMessage) => Caller;
  readonly succeed: (payload: unknown) => Answer;
  readonly refuse: (refusal: Refusal) => Answer;
};

/** A JSON answer. */
export const json = (
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body: JSON.stringify(value),
});

/** A plain-text answer. */
export const plain = (status: number, sentence: string): Answer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: sentence,
});

const readBytes = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let size = 0;
  // Read to the end even beyond the limit: leaving early would cut the connection under the answer.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  if (size > MAX_BODY_BYTES) throw new Refusal(413, 'the body is larger than 1 MB');
  return Buffer.concat(chunks);
};

const readBody = async (request: IncomingMessage): Promise<unknown> => {
  const bytes = await readBytes(request);
  if (bytes.length === 0) return {};
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    throw new Refusal(415, 'a body must have Content-Type application/json');
  }
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return value;
  } catch {
    // The parser's own message quotes the body, which may hold secrets.
    throw new Refusal(400, 'the body is not valid JSON');
  }
};

const answerTo = async <Caller>(
  rest: RestInterface<Caller>,
  request: IncomingMessage,
): Promise<Answer> => {
  const [path = ''] = (request.url ?? '').split('?');
  const found = findRoute(rest.routes, request.method, path);
  if (!found) return plain(404, 'Not Found');
  const { route, ids } = found;
  try {
    const caller = rest.authenticate(request);
    const hasBody = route.method !== 'GET' && route.method !== 'DELETE';
    const body = hasBody ? await readBody(request) : {};
    return rest.succeed(route.handle({ caller, ids, body }));
  } catch (error) {
    if (error instanceof Refusal) return rest.refuse(error);
    throw error;
  }
};

const write = (response: ServerResponse, answer: Answer): void => {
  response.writeHead(answer.status, {
    ...answer.headers,
    'content-length': Buffer.byteLength(answer.body),
  });
  response.end(answer.body);
};

/** Serves one interface. A request outside its routes, by path or by method, is a plain-text 404. */
export const createListener =
  <Caller>(rest: RestInterface<Caller>): RequestListener =>
  (request, response) => {
    answerTo(rest, request)
      .catch((error: unknown) => {
        // A caller that hung up is no fault of the sandbox.
        if (request.complete) process.emitWarning(error instanceof Error ? error : String(error));
        return plain(500, 'Internal Server Error');
      })
      .then((answer) => write(response, answer));
  };

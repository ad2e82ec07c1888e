import type { IncomingMessage, RequestListener } from 'node:http';
import { type Answer, plain } from './answer.ts';
import { answerInstead, deliver } from './failing.ts';
import type { Fault } from './faults.ts';
import type { Limiter, Standing } from './limits.ts';
import { Refusal } from './refusal.ts';
import type { RestInterface } from './rest-interface.ts';
import { findRoute } from './routes.ts';

const MAX_BODY_BYTES = 1024 * 1024;

const readBytes = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let size = 0;
  // Read to the end even beyond the limit: stopping early would cut the connection while the answer is sent.
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
    // The parser's message quotes the body, which may contain secrets.
    throw new Refusal(400, 'the body is not valid JSON');
  }
};

type Answered = { readonly answer: Answer; readonly fault?: Fault | undefined };

const answerTo = async <Caller>(
  rest: RestInterface<Caller>,
  request: IncomingMessage,
  standing: Standing | undefined,
): Promise<Answered> => {
  if (standing?.exceeded) return { answer: rest.tooMany(standing) };
  const [path = '', query] = (request.url ?? '').split('?');
  const found = findRoute(rest.routes, request.method, path);
  if (!found)
    return { answer: rest.outsideRoutes?.(request.method ?? '', path) ?? plain(404, 'Not Found') };
  const { route, ids } = found;
  let fault: Fault | undefined;
  try {
    const admitted = rest.authenticate(request);
    fault = admitted.fault;
    const instead = answerInstead(rest, fault);
    if (instead) return { answer: instead };
    const hasBody = route.method !== 'GET' && route.method !== 'DELETE';
    const body = hasBody ? await readBody(request) : {};
    const call = { caller: admitted.caller, ids, query: new URLSearchParams(query), body };
    return { answer: rest.succeed(route.handle(call)), fault };
  } catch (error) {
    if (error instanceof Refusal) return { answer: rest.refuse(error), fault };
    throw error;
  }
};

/**
 * Serves one interface, with limits if there is a limiter. The path and method of a request are checked before its
 * credential.
 */
export const createListener =
  <Caller>(rest: RestInterface<Caller>, limiter: Limiter | undefined): RequestListener =>
  (request, response) => {
    // Counted before the credential is checked, as in a real observability server: a 401 and a 404 count too.
    const standing = limiter?.count(request.headers.authorization);
    const limitHeaders = standing ? rest.limitHeaders(standing) : {};
    answerTo(rest, request, standing)
      .catch((error: unknown): Answered => {
        // A caller that hung up is not an error of the sandbox.
        if (request.complete) process.emitWarning(error instanceof Error ? error : String(error));
        return { answer: plain(500, 'Internal Server Error') };
      })
      .then(({ answer, fault }) => {
        const headers = { ...limitHeaders, ...answer.headers };
        deliver(response, { ...answer, headers }, fault);
      });
  };

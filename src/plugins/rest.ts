import type { IncomingMessage } from 'node:http';
import { GraphQLError } from 'graphql';
import type { Config } from '../config.ts';
import type { RestFigures } from '../metrics/rest.ts';
import { acceptedBy, maxAgeOf } from '../negotiation.ts';
import { failedAnswer, ownAnswer, passOn, type ToolAnswer, whyUnfit } from '../rest/answer.ts';
import {
  hasBody,
  isRefusal,
  judgeHead,
  patienceOf,
  type Refusal,
  type ToolRequest,
  upstreamAt,
} from '../rest/request.ts';
import { UpstreamError, upstreamNames } from '../upstream/error.ts';
import type { Upstreams } from '../upstream/index.ts';
import { answerBehind } from '../upstream/sending/failures.ts';
import { type Expecting, readBody } from './body.ts';
import type { CallerRequest, Callers } from './caller.ts';
import type { GatewayPlugin, ServerContext } from './plugin.ts';
import type { Spans } from './tracing.ts';

/** Passes calls of REST tools on, within the limits of their credentials. */
export interface Rest {
  /** Answers the requests. Must come after `useCaller` and the server's span. */
  useCalls(): GatewayPlugin;
  /** Whether the request is one of a tool. */
  isOfTool(req: IncomingMessage): boolean;
  /** What the log says about the call of a request: no identifier and no query. */
  factsOf(req: IncomingMessage): Readonly<Record<string, unknown>> | undefined;
}

interface RestOptions {
  readonly mode: Exclude<Config['rest'], 'off'>;
  readonly callers: Callers;
  readonly direct: Upstreams['direct'];
  readonly maxBodyBytes: number;
  readonly expecting: Expecting;
  /** Whether answers that wait for slow callers take too much memory for another one. */
  readonly isFull: () => boolean;
  readonly spans: Pick<Spans, 'within'> | undefined;
  /** Undefined if metrics are off. */
  readonly figures: RestFigures | undefined;
}

/** The greatest age of an answer from memory, in seconds, where the tool sets none. */
const maxAgeSeconds = 5;

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    throw new GraphQLError('The body must be JSON.');
  }
};

export const createRest = (options: RestOptions): Rest => {
  const { mode, callers, direct, maxBodyBytes, expecting, isFull, spans, figures } = options;
  const served = upstreamNames.filter((name) => name in direct);
  const facts = new WeakMap<IncomingMessage, Readonly<Record<string, unknown>>>();

  /** Sends a call, and returns the answer for the tool. */
  const answerTo = async (
    { upstream, method, target }: ToolRequest,
    { caller, began }: CallerRequest,
    req: IncomingMessage,
    body: string | undefined,
  ): Promise<ToolAnswer> => {
    const { requestId, ages, credentials } = caller;
    const { accept = '*/*', 'cache-control': control = null } = req.headers;
    const asked = maxAgeOf(control);
    const maxAge = asked === Infinity ? maxAgeSeconds : asked;
    const acceptsJson = acceptedBy(accept).mediaTypes.includes('application/json');
    const patience = patienceOf(req);
    const answerBy = patience === undefined ? undefined : began + patience * 1000;
    const own = direct[upstream];
    if (!own) throw new TypeError(`No upstream ${upstream}`);
    try {
      const answer = await own.send(
        { ...caller, credential: credentials[upstream], readAfter: began - maxAge * 1000 },
        { method, target, body, accept, acceptsJson, answerBy },
      );
      const detail = whyUnfit(answer);
      if (detail === undefined) return passOn(answer, ages.oldestSeconds);
      const { status } = answer;
      const failure = { upstream, operation: '', reason: 'bad-response', status, detail } as const;
      return failedAnswer({ ...failure, write: method !== 'GET' }, requestId);
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      const answer = answerBehind(error);
      return answer && whyUnfit(answer) === undefined
        ? passOn(answer, undefined)
        : failedAnswer(error.failure, requestId);
    }
  };

  /** The answer to a request of a tool, whether it is refused or sent on. */
  const respondTo = async (
    request: Request,
    { req, res, target }: ServerContext,
    incoming: CallerRequest,
  ): Promise<ToolAnswer> => {
    const { requestId, secrets } = incoming.caller;
    const refuse = ({ status, message, allow }: Refusal): ToolAnswer =>
      ownAnswer(status, message, requestId, allow === undefined ? {} : { allow });
    const judged = judgeHead(req, target, request.headers, served, mode === 'write');
    if (isRefusal(judged)) return refuse(judged);
    const { upstream, method } = judged;
    facts.set(req, { upstream, method, path: direct[upstream]?.nameOf(judged) });
    const message = 'Too many answers wait for callers that read slowly.';
    const full = ownAnswer(503, message, requestId, { 'retry-after': '5' });
    if (isFull()) return full;
    try {
      const body = hasBody(req)
        ? await readBody({ req, res, request, limit: maxBodyBytes, expecting })
        : undefined;
      if (body !== undefined) secrets.note(parsed(body));
      const work = () => answerTo(judged, incoming, req, body);
      const answer = await (spans ? spans.within(req, work) : work());
      // Many reads may have waited for their turns together. The answer to a write is needed.
      return method === 'GET' && isFull() ? full : answer;
    } catch (error) {
      // The body could not be read.
      if (!(error instanceof GraphQLError)) throw error;
      return refuse({ status: error.extensions.http?.status ?? 400, message: error.message });
    }
  };

  return {
    isOfTool: ({ url = '' }) => upstreamAt(url) !== undefined,
    factsOf: (req) => facts.get(req),
    useCalls: () => ({
      onRequest: ({ request, serverContext, endResponse, fetchAPI }) => {
        const { req, res } = serverContext;
        const upstream = upstreamAt(req.url ?? '');
        const incoming = callers.get(req);
        // Without a promise, requests of others wait for nothing here.
        if (!upstream || !incoming) return undefined;
        facts.set(req, { upstream, method: req.method });
        res.once('close', () => {
          const status = res.writableFinished ? res.statusCode : undefined;
          figures?.answered(upstream, req.method ?? '', status);
        });
        return respondTo(request, serverContext, incoming).then(({ status, headers, body }) => {
          const sent = typeof body === 'string' || !body ? body : new Uint8Array(body);
          endResponse(new fetchAPI.Response(sent ?? null, { status, headers }));
        });
      },
    }),
  };
};

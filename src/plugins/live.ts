import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ExecutionArgs, type ExecutionResult, GraphQLError } from 'graphql';
import type { Config } from '../config.ts';
import { type ErrorCode, upstreamExtensions } from '../errors/describe.ts';
import { isTooLarge as isOfSize, tooLarge } from '../graphql/response-size.ts';
import { isObject } from '../is-object.ts';
import type { StreamEvent } from '../live/stream.ts';
import type { Streams } from '../live/streams.ts';
import { acceptedOf } from '../negotiation.ts';
import { callFactsOf, noCalls, together } from '../request/call-facts.ts';
import type { CallerEvent } from '../request/caller.ts';
import type { Context } from '../request/context.ts';
import type { UpstreamCaller, Upstreams } from '../upstream/index.ts';
import { pause } from '../upstream/sending/abort.ts';
import { agesAndProgress } from './ages.ts';
import type { Callers } from './caller.ts';
import type { createErrorExit } from './errors.ts';
import { explained } from './explain.ts';
import { jsonOf, writtenWith } from './large-answers.ts';
import { operationFactsOf } from './operation-log.ts';
import type { GatewayPlugin } from './plugin.ts';
import type { WriteLine } from './request-lines.ts';
import { streamUseOf } from './stream-use.ts';
import type { Spans } from './tracing.ts';

interface LiveOptions {
  readonly callers: Callers;
  readonly upstreams: Pick<Upstreams, 'callsLeft'>;
  readonly streams: Streams;
  readonly contextOf: (caller: UpstreamCaller) => Context;
  /**
   * Whether an operation waits for one event: it gets events whatever its request accepts, and ends with the first that
   * fits, so no event may show what was read before the request came.
   */
  readonly isWait?: ((req: IncomingMessage) => boolean) | undefined;
  readonly execute: (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;
  readonly errorExit: ReturnType<typeof createErrorExit>;
  readonly writeLine: WriteLine;
  readonly config: Pick<Config, 'maxResponseSize'>;
  readonly unsent: { isFull(): boolean };
  /** Makes the spans of events; undefined without traces. */
  readonly spans: Pick<Spans, 'event'> | undefined;
}

/** The outcome of an execution; errors may be any thrown values. */
interface Executed {
  readonly data?: Exclude<ExecutionResult['data'], undefined>;
  readonly errors?: readonly unknown[];
  /** See `Context`. */
  readonly unread?: Context['unread'];
}

const noEventStream = new GraphQLError(
  'A subscription is answered with a stream of events: send the header "accept: text/event-stream".',
  { extensions: { code: 'BAD_REQUEST', http: { status: 406 } } },
);

/** Codes of errors that the next event may not have. */
const passing = new Set<unknown>([
  'RATE_LIMITED',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_TIMEOUT',
] satisfies ErrorCode[]);

const mayPass = ({ extensions: { code, upstream } }: Pick<GraphQLError, 'extensions'>): boolean =>
  passing.has(code) ||
  (code === 'UPSTREAM_ERROR' && isObject(upstream) && Number(upstream.status) >= 500);

/** What is the same in all repetitions of one failure. */
const markOf = ({ message, path, extensions }: GraphQLError): string => {
  const { code, retryAfterSeconds, upstream } = extensions;
  const { name, operation, status } = isObject(upstream) ? upstream : {};
  // The message of such an error contains the seconds, or says that they are unknown.
  const words = retryAfterSeconds === undefined && code !== 'RATE_LIMITED' && message;
  return JSON.stringify([words, path, code, name, operation, status]);
};

/** How often it is checked whether a slow client has read what was sent, in milliseconds. */
const takenEveryMs = 100;

/**
 * Answers subscriptions with an event stream. For each event, the whole operation is executed again as a query, with
 * its own context. The steps before and after an execution, which other plugins do for a query, are done here for each
 * event.
 */
export const useLive = (options: LiveOptions): GatewayPlugin => {
  const { callers, upstreams, streams, contextOf, execute, errorExit, isWait } = options;
  const { writeLine, config, spans, unsent } = options;
  /** Requests for subscriptions that do not accept an event stream. */
  const refused = new WeakSet<IncomingMessage>();

  /** Waits until the client has read what was sent, and until the responses to all clients are below their limit. */
  const untilTaken = async (res: ServerResponse, signal: AbortSignal): Promise<void> => {
    while ((res.writableLength > 0 || unsent.isFull()) && !signal.aborted) {
      await pause(takenEveryMs, signal);
    }
  };

  /** The result as the client sees it, with a mark that is compared with the last event's mark. */
  const finish = async (executed: Executed, caller: UpstreamCaller): Promise<StreamEvent> => {
    const exit = (errors: readonly unknown[]) => errorExit(errors, caller);
    const { errors: found, unread = [], ...rest } = executed;
    const isTooLarge = found?.some(isOfSize) === true;
    const complete: ExecutionResult = found ? { errors: exit(found), ...rest } : rest;
    const text = isTooLarge ? undefined : await jsonOf(rest.data);
    const result = isTooLarge
      ? { errors: exit([tooLarge(config.maxResponseSize)]) }
      : { ...complete, ...writtenWith(rest.data, text) };
    // Sorted, since the order of errors depends on which read failed first.
    const errors = complete.errors?.map(markOf).sort() ?? [];
    const extensions = { ...agesAndProgress(caller), ...explained(caller, upstreams) };
    return {
      result: Object.keys(extensions).length > 0 ? { ...result, extensions } : result,
      mark: isTooLarge ? 'too large' : hash('sha256', `${text}${errors}`),
      isPassing:
        result.errors?.some(mayPass) === true ||
        unread.some(({ failure }) => mayPass({ extensions: upstreamExtensions(failure) })),
      isFilling: caller.progress.now !== undefined,
    };
  };

  const executeFor = async (
    args: ExecutionArgs,
    { caller, end }: CallerEvent,
  ): Promise<StreamEvent> => {
    try {
      const contextValue = contextOf(caller);
      const executed = await execute({ ...args, contextValue });
      return await finish({ ...executed, unread: contextValue.unread }, caller);
    } catch (error) {
      // Yoga would send the error unchanged.
      return await finish({ errors: [error] }, caller);
    } finally {
      end();
    }
  };

  return {
    onSubscribe: async ({ args, setSubscribeFn, setResultAndStopExecution }) => {
      const { req, res, request } = args.contextValue;
      const incoming = callers.get(req);
      if (!incoming) throw new TypeError('An operation is executed for a request only');
      const { caller } = incoming;
      if (!acceptedOf(request).events && !isWait?.(req)) {
        refused.add(req);
        setResultAndStopExecution({ errors: [noEventStream] });
        return;
      }
      const admitted = streams.admit(streamUseOf(args, caller), caller.signal);
      if (!('release' in admitted)) {
        setResultAndStopExecution(admitted);
        return;
      }
      setSubscribeFn((given: ExecutionArgs) => {
        const { gone, begin } = incoming.stream(isWait?.(req));
        let facts = noCalls;
        const codes = new Set<unknown>();
        return streams.open(admitted, gone, {
          execute: async (watcher, signal) => {
            const event = begin(watcher, signal);
            const run = () => executeFor(given, event);
            const executed = await (spans ? spans.event(req, run) : run());
            facts = together(facts, callFactsOf(event.caller));
            for (const { extensions } of executed.result.errors ?? []) codes.add(extensions.code);
            return executed;
          },
          untilTaken: (signal) => untilTaken(res, signal),
          onEnd: (ended, events) => {
            // A line that any block of events may have. Yoga's stream then ends with `complete`.
            if (ended === 'gateway stops' && res.headersSent) {
              res.write(`retry: ${streams.returnMs()}\n`);
            }
            writeLine('subscription', req, incoming, {
              ...operationFactsOf(given.document, given.operationName),
              status: res.statusCode,
              ...facts,
              callsLeft: upstreams.callsLeft(caller),
              codes: [...codes],
              events,
              ended,
            });
          },
        });
      });
    },
    // Yoga has no response with a body for clients that accept only its other streams.
    onResultProcess: ({ serverContext: { req }, resultProcessor, setResultProcessor }) => {
      if (resultProcessor || !refused.has(req)) return;
      setResultProcessor((_, fetchAPI) => {
        const { message, extensions } = noEventStream;
        const requestId = callers.get(req)?.caller.requestId;
        const error = { message, extensions: { code: extensions.code, requestId } };
        return fetchAPI.Response.json({ errors: [error] }, { status: 406 });
      }, 'application/json');
    },
  };
};

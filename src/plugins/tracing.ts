import type { IncomingMessage } from 'node:http';
import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { type ExecutionArgs, type ExecutionResult, getOperationAST } from 'graphql';
import { isAsyncIterable } from 'graphql-yoga';
import type { CallerIds } from '../upstream/call.ts';
import type { Callers } from './caller.ts';
import { errorsOf, mapParts, type Part } from './parts.ts';
import type { GatewayPlugin } from './plugin.ts';

/** The spans of a request under way. */
interface RequestSpans {
  /** The context of the server's span, which the gateway or an instrumentation of node:http has made. */
  readonly around: Context;
  execution?: Span;
}

/** Makes the spans of requests. The spans of upstream calls are below them. */
export interface Spans {
  /**
   * Makes the server's span. Must come after `useCaller`.
   *
   * @param toolPathOf the name of the path for the request of a REST tool
   */
  useServerSpan(
    paths: readonly string[],
    toolPathOf: (target: string) => string | undefined,
  ): GatewayPlugin;
  /** Runs work within the server's span, so that spans of calls are below it. */
  within<Result>(req: IncomingMessage, work: () => Result): Result;
  /** Makes the span of an execution. Must come after `useErrors`, which gives errors their codes. */
  useExecutionSpan(): GatewayPlugin;
  /** Makes the span of the execution of one event of a subscription. */
  event<Executed extends { readonly result: ExecutionResult }>(
    req: IncomingMessage,
    execute: () => Promise<Executed>,
  ): Promise<Executed>;
}

const codesOf = (result: Part): readonly string[] =>
  errorsOf(result).map(({ extensions }) => String(extensions.code));

/** Puts the request's id on its first span, and the span's trace on the request. */
const identify = (span: Span | undefined, caller: CallerIds | undefined): void => {
  if (!span || !caller) return;
  span.setAttribute('sluice.request_id', caller.requestId);
  caller.traceId = span.spanContext().traceId;
};

/** Ends the span of an execution with its errors' codes, and nothing else of them. */
const endExecution = (span: Span, [code]: readonly string[]): void => {
  // The span may have ended when the caller left. A span must not end twice.
  if (!span.isRecording()) return;
  if (code !== undefined) {
    span.setAttribute('error.type', code);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
};

export const createSpans = (tracer: Tracer, callers: Callers): Spans => {
  const requests = new WeakMap<IncomingMessage, RequestSpans>();

  const startServerSpan = (req: IncomingMessage, path: string): Context => {
    const { traceHeaders: [, traceparent, , tracestate] = [] } = callers.get(req)?.caller ?? {};
    const from = propagation.extract(ROOT_CONTEXT, { traceparent, tracestate });
    // Node's parser accepts a fixed list of methods and refuses all others.
    const { method = '' } = req;
    const span = tracer.startSpan(
      `${method} ${path}`,
      {
        kind: SpanKind.SERVER,
        attributes: { 'http.request.method': method, 'http.route': path },
      },
      from,
    );
    return trace.setSpan(from, span);
  };

  // Operation names are left out, since callers choose them.
  const startExecution = (around: Context, type: string): Span =>
    tracer.startSpan(type, { attributes: { 'graphql.operation.type': type } }, around);

  /**
   * Records the outcome of an operation with the codes of all its errors, even if it was refused before its execution.
   */
  const finish = (request: RequestSpans, codes: readonly string[]): void => {
    const { around, execution } = request;
    if (codes.length > 0) {
      trace.getSpan(around)?.setAttribute('sluice.error_codes', [...new Set(codes)]);
    }
    if (execution) endExecution(execution, codes);
  };

  return {
    within: (req, work) => {
      const request = requests.get(req);
      return request ? context.with(request.around, work) : work();
    },
    useServerSpan: (paths, toolPathOf) => ({
      onRequest: ({ url, serverContext: { req, res } }) => {
        const own = url.pathname.replace(/\/$/, '');
        const path = paths.includes(own) ? own : toolPathOf(req.url ?? '');
        if (path === undefined) return;
        // If node:http is instrumented, there is an active span.
        const isInstrumented = trace.getActiveSpan() !== undefined;
        const around = isInstrumented ? context.active() : startServerSpan(req, path);
        const request: RequestSpans = { around };
        requests.set(req, request);
        identify(trace.getSpan(around), callers.get(req)?.caller);
        res.once('close', () => {
          // If the caller has left, there may be no result.
          if (request.execution?.isRecording()) request.execution.end();
          const server = trace.getSpan(around);
          if (isInstrumented || !server) return;
          if (res.headersSent) server.setAttribute('http.response.status_code', res.statusCode);
          if (res.statusCode >= 500) {
            server.setAttribute('error.type', String(res.statusCode));
            server.setStatus({ code: SpanStatusCode.ERROR });
          }
          server.end();
        });
      },
    }),
    useExecutionSpan: () => ({
      onExecute: ({ args: { document, operationName, contextValue }, executeFn, setExecuteFn }) => {
        const request = requests.get(contextValue.req);
        const type = getOperationAST(document, operationName)?.operation;
        if (!request || !type) return;
        setExecuteFn((given: ExecutionArgs) => {
          const execution = startExecution(request.around, type);
          request.execution = execution;
          const own = trace.setSpan(request.around, execution);
          return context.with(own, executeFn, undefined, given);
        });
      },
      onResultProcess: ({ serverContext: { req }, result, setResult }) => {
        const request = requests.get(req);
        if (!request || callers.get(req)?.isStream || Array.isArray(result)) return;
        if (!isAsyncIterable(result)) {
          finish(request, codesOf(result));
          return;
        }
        const codes: string[] = [];
        const onPart = (part: Part): Part => {
          codes.push(...codesOf(part));
          return part;
        };
        setResult(mapParts(result, { onPart, onEnd: () => finish(request, codes) }));
      },
    }),
    event: async (req, execute) => {
      const request = requests.get(req);
      if (!request) return execute();
      const span = startExecution(request.around, 'subscription');
      try {
        const executed = await context.with(trace.setSpan(request.around, span), execute);
        endExecution(span, codesOf(executed.result));
        return executed;
      } finally {
        if (span.isRecording()) span.end();
      }
    },
  };
};

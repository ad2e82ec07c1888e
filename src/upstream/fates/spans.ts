import { hasSubscribers } from 'node:diagnostics_channel';
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
import { type Answer, type Call, isBackgroundCall, isWrite, type Send } from '../call.ts';
import { UpstreamError } from '../error.ts';
import type { Tell } from '../fate.ts';

/** Makes the spans of calls. No span holds an object's identifier, a path or a header. */
interface Spans {
  /** Makes a span each time that a call is sent. A call that is not sent becomes an event of the surrounding span. */
  readonly hear: Tell<Call>;
  /** Sends a call within its span, with the headers of the span. */
  within<Each extends Call>(call: Each, send: Send<Each>): Promise<Answer>;
}

/** The facts of a call that its spans report. */
interface Known {
  /** Milliseconds of the last wait for a turn. */
  waitedMs: number;
  /** How many times the call was sent. */
  sends: number;
  /** Whether the call was answered by another read, of this request or of another one. */
  isJoined: boolean;
}

const tenths = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;

const namesOf = ({ row }: Call) => ({
  'sluice.upstream': row.api.name,
  'sluice.operation': row.name,
});

const reasonOf = (error: unknown): string =>
  error instanceof UpstreamError ? error.failure.reason : 'unexpected';

/** Whether undici is instrumented: then the instrumentation adds the headers of its own span within the call's span. */
const isInstrumented = (): boolean => hasSubscribers('undici:request:create');

const names = ['traceparent', 'tracestate'] as const;

const headersOf = (own: Context): readonly string[] => {
  if (isInstrumented()) return [];
  const carrier: Partial<Record<string, string>> = {};
  propagation.inject(own, carrier);
  return names.flatMap((name) => {
    const value = carrier[name];
    return value === undefined ? [] : [name, value];
  });
};

const fail = (span: Span, type: string): void => {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
};

const attributesOf = (call: Call, own: Known | undefined) => {
  const { row, shownReadAt, priority } = call;
  const resends = (own?.sends ?? 0) - 1;
  return {
    ...namesOf(call),
    'sluice.request_id': call.caller.requestId,
    'http.request.method': row.operation.method,
    'url.template': row.operation.path,
    'sluice.priority': priority,
    ...(!isWrite(call) && { 'sluice.cache': shownReadAt === undefined ? 'miss' : 'stale' }),
    ...(own && { 'sluice.waited_ms': tenths(own.waitedMs) }),
    ...(resends > 0 && { 'http.request.resend_count': resends }),
  };
};

export const createSpans = (tracer: Tracer): Spans => {
  const known = new WeakMap<Call['id'], Known>();
  const sent = new WeakMap<Call, Context>();

  const knownOf = ({ id }: Call): Known => {
    const found = known.get(id) ?? { waitedMs: 0, sends: 0, isJoined: false };
    known.set(id, found);
    return found;
  };

  const start = (call: Call): void => {
    const { row } = call;
    // A read in the background may outlast the request that asked for it.
    const isAlone = isBackgroundCall(call);
    const own = isAlone ? undefined : knownOf(call);
    if (own) own.sends += 1;
    const around = isAlone ? ROOT_CONTEXT : context.active();
    const attributes = attributesOf(call, own);
    const span = tracer.startSpan(
      `${row.api.name}.${row.name}`,
      { kind: SpanKind.CLIENT, attributes },
      around,
    );
    sent.set(call, trace.setSpan(around, span));
  };

  const end = (span: Span | undefined, status: number | undefined, error: unknown): void => {
    if (status !== undefined) span?.setAttribute('http.response.status_code', status);
    if (span && status === undefined) fail(span, reasonOf(error));
    else if (span && status !== undefined && status >= 400) fail(span, String(status));
    span?.end();
  };

  return {
    hear: (fate) => {
      const { call } = fate;
      const names = namesOf(call);
      switch (fate.kind) {
        case 'memory':
          trace.getActiveSpan()?.addEvent('sluice.read.kept', {
            ...names,
            'sluice.cache': fate.state,
            'sluice.age_ms': Math.round(fate.ageMs),
          });
          break;
        case 'joined':
          knownOf(call).isJoined = true;
          trace.getActiveSpan()?.addEvent('sluice.read.shared', names, fate.since);
          break;
        case 'repeated':
          knownOf(call).isJoined = true;
          break;
        case 'granted':
          knownOf(call).waitedMs = fate.waitedMs;
          break;
        case 'sent':
          start(call);
          break;
        case 'ended':
          end(trace.getSpan(sent.get(call) ?? ROOT_CONTEXT), fate.status, fate.error);
          break;
        case 'failed': {
          const { sends, isJoined } = knownOf(call);
          if (sends > 0 || isJoined) break;
          trace.getActiveSpan()?.addEvent('sluice.call.not_sent', {
            ...names,
            'error.type': reasonOf(fate.error),
            'sluice.waited_ms': tenths(fate.milliseconds),
          });
        }
      }
    },
    within: (call, send) => {
      const own = sent.get(call) ?? ROOT_CONTEXT;
      return context.with(own, () => send(call, headersOf(own)));
    },
  };
};

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
import { type Call, type CallNotes, isWrite, type Step, type TraceNotes } from '../call.ts';
import { UpstreamError } from '../error.ts';

/** What makes the spans of calls. None has an identifier, a path or a header. */
export interface Trace {
  /** Outermost: notes on the span around the call what has no span of its own, since it is not sent. */
  readonly note: Step;
  /** Right around sending: a span each time. */
  readonly step: Step;
}

const tenths = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;

const namesOf = ({ row }: Call) => ({
  'sluice.upstream': row.api.name,
  'sluice.operation': row.name,
});

const reasonOf = (error: unknown): string =>
  error instanceof UpstreamError ? error.failure.reason : 'unexpected';

/** Notes what the other notes are told too, if there are any. */
const notesOf = (
  call: Call,
  around: Span | undefined,
  noted: TraceNotes,
  others: CallNotes | undefined,
): CallNotes => ({
  sent: () => others?.sent() ?? (() => undefined),
  usedAgain: () => others?.usedAgain(),
  joined: (outcome) => {
    noted.isShared = true;
    around?.addEvent('sluice.read.shared', namesOf(call));
    others?.joined(outcome);
  },
  waited: (milliseconds) => {
    noted.waitedMs = milliseconds;
    others?.waited(milliseconds);
  },
  kept: (state, ageMs) => {
    around?.addEvent('sluice.read.kept', {
      ...namesOf(call),
      'sluice.cache': state,
      'sluice.age_ms': Math.round(ageMs),
    });
    others?.kept(state, ageMs);
  },
});

/** What instruments undici adds the headers of its own span, which is within the call's. */
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

const attributesOf = (call: Call) => {
  const { row, trace: noted, shownReadAt, priority } = call;
  // What is renewed is renewed for nobody in particular, and the notes are those of who was shown it before.
  const own = priority === 'renewal' ? undefined : noted;
  const resends = (own?.sends ?? 0) - 1;
  return {
    ...namesOf(call),
    'http.request.method': row.operation.method,
    'url.template': row.operation.path,
    'sluice.priority': priority,
    ...(!isWrite(call) && { 'sluice.cache': shownReadAt === undefined ? 'miss' : 'stale' }),
    ...(own && { 'sluice.waited_ms': tenths(own.waitedMs) }),
    ...(resends > 0 && { 'http.request.resend_count': resends }),
  };
};

export const createTrace = (tracer: Tracer): Trace => ({
  note: async (call, next) => {
    const around = trace.getActiveSpan();
    const began = performance.now();
    const noted: TraceNotes = { waitedMs: 0, sends: 0, isShared: false };
    const notes = notesOf(call, around, noted, call.notes);
    try {
      return await next({ ...call, notes, trace: noted });
    } catch (error) {
      if (noted.sends === 0 && !noted.isShared) {
        around?.addEvent('sluice.call.not_sent', {
          ...namesOf(call),
          'error.type': reasonOf(error),
          'sluice.waited_ms': tenths(performance.now() - began),
        });
      }
      throw error;
    }
  },
  step: async (call, next) => {
    const { row, priority, trace: noted } = call;
    if (noted && priority !== 'renewal') noted.sends += 1;
    // The request that was shown an older answer may be over long before.
    const around = priority === 'renewal' ? ROOT_CONTEXT : context.active();
    const span = tracer.startSpan(
      `${row.api.name}.${row.name}`,
      { kind: SpanKind.CLIENT, attributes: attributesOf(call) },
      around,
    );
    const own = trace.setSpan(around, span);
    try {
      const traced: Call = { ...call, traceHeaders: headersOf(own) };
      const answer = await context.with(own, next, undefined, traced);
      span.setAttribute('http.response.status_code', answer.status);
      if (answer.status >= 400) fail(span, String(answer.status));
      return answer;
    } catch (error) {
      fail(span, reasonOf(error));
      throw error;
    } finally {
      span.end();
    }
  },
});

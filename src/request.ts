import { randomUUID } from 'node:crypto';
import { credentialsOf } from './credentials.ts';
import { createCallBudget } from './upstream/call-budget.ts';
import { createCallLog, noCallLog } from './upstream/call-log.ts';
import type { Cancellation } from './upstream/cancellation.ts';
import type { UpstreamCaller } from './upstream/index.ts';

/** A header of a request by its name in lower case, or null. */
export type HeaderOf = (name: string) => string | null;

// W3C Trace Context: version ff and identifiers of zeros alone are invalid.
const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
const listMember = '[a-z0-9][a-z0-9_*/@-]{0,255}=[\\x20-\\x2b\\x2d-\\x3c\\x3e-\\x7e]{1,256}';
const tracestate = new RegExp(`^(?=.{1,512}$)${listMember}([ \\t]*,[ \\t]*${listMember}){0,31}$`);

const noHeaders: readonly string[] = [];

const traceHeadersOf = (header: HeaderOf): readonly string[] => {
  const parent = header('traceparent');
  if (parent === null || !traceparent.test(parent)) return noHeaders;
  const state = header('tracestate');
  return state !== null && tracestate.test(state)
    ? ['traceparent', parent, 'tracestate', state]
    : ['traceparent', parent];
};

/** The caller's own id of the request where it is a harmless one, so that logs can be joined; else a new one. */
const requestIdOf = (header: HeaderOf): string => {
  const given = header('x-request-id');
  return given !== null && /^[\w.-]{1,128}$/.test(given) ? given : randomUUID();
};

/** What the gateway takes of an incoming request beside its GraphQL parameters. */
export interface Incoming {
  /** What of it may reach an upstream (docs/architecture.md, "Credentials pass through"); nothing else does. */
  readonly caller: UpstreamCaller;
  /** Whether it asks for the list of its upstream calls, and may see it. */
  readonly explain: boolean;
  /** When it came, in milliseconds of `performance.now()`. */
  readonly began: number;
}

export interface ReceiveOptions {
  readonly maxUpstreamCalls: number;
  readonly maxParallelCalls: number;
  /** Whether a request may ask for its upstream calls with `Sluice-Explain: 1`. */
  readonly explain: boolean;
}

/** Takes a request in. The cancellation tells when nobody waits for its response any longer. */
export type Receive = (header: HeaderOf, cancellation: Cancellation) => Incoming;

export const createReceive =
  (options: ReceiveOptions): Receive =>
  (header, cancellation) => {
    const explain = options.explain && header('sluice-explain') === '1';
    return {
      caller: {
        credentials: credentialsOf(header),
        requestId: requestIdOf(header),
        traceHeaders: traceHeadersOf(header),
        calls: explain ? createCallLog() : noCallLog,
        budget: createCallBudget(options.maxUpstreamCalls, options.maxParallelCalls),
        secrets: new Map(),
        arrivals: { any: false },
        cancellation,
      },
      explain,
      began: performance.now(),
    };
  };

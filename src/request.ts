import { credentialHeaders, credentialsOf } from './credentials.ts';
import { createCallBudget } from './upstream/call-budget.ts';
import { createCallLog, noCallLog } from './upstream/call-log.ts';
import { CancellationSource } from './upstream/cancellation.ts';
import type { UpstreamCaller } from './upstream/index.ts';
import { createRequestSecrets, type RequestSecrets } from './upstream/secrets.ts';
import { createUuid } from './uuid.ts';

/** A header of a request by its name in lower case, or null. */
export type HeaderOf = (name: string) => string | null;

// W3C Trace Context: version ff and identifiers of zeros alone are invalid.
const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
const listMember = '[a-z0-9][a-z0-9_*/@-]{0,255}=[\\x20-\\x2b\\x2d-\\x3c\\x3e-\\x7e]{1,256}';
const tracestate = new RegExp(`^(?=.{1,512}$)${listMember}([ \\t]*,[ \\t]*${listMember}){0,31}$`);

const noHeaders: readonly string[] = [];

const requestId = /^[\w.-]{1,128}$/;

const ofForm = (value: string | null, form: RegExp): string | undefined =>
  value !== null && form.test(value) ? value : undefined;

/** What a caller says of its request for logs and traces. */
interface Marks {
  readonly requestId?: string | undefined;
  readonly traceHeaders: readonly string[];
}

/** Nothing where a credential is among them: both upstreams get them, and the log the id. */
const marksOf = (header: HeaderOf, secrets: RequestSecrets): Marks => {
  const id = ofForm(header('x-request-id'), requestId);
  const parent = ofForm(header('traceparent'), traceparent);
  const state = parent && ofForm(header('tracestate'), tracestate);
  const given = [id, parent, state].filter((value) => value !== undefined);
  if (given.length === 0 || !secrets.areMissingIn(given.join('\n'))) {
    return { traceHeaders: noHeaders };
  }
  const traceHeaders = parent === undefined ? noHeaders : ['traceparent', parent];
  return {
    requestId: id,
    traceHeaders: state === undefined ? traceHeaders : [...traceHeaders, 'tracestate', state],
  };
};

/** What the gateway takes of an incoming request beside its GraphQL parameters. */
export interface Incoming {
  /** What of it may reach an upstream (design, section 2); nothing else does. */
  readonly caller: UpstreamCaller;
  /** Whether it asks for the list of its upstream calls, and may see it. */
  readonly explain: boolean;
  /** When it came, in milliseconds of `performance.now()`. */
  readonly began: number;
  /** What the log tells of its operation, as `membersText` gives it; known once there is one to be executed. */
  operation?: string;
  /** The caller has gone, or has been answered. */
  end(): void;
}

export interface ReceiveOptions {
  readonly operationTimeoutMs: number;
  readonly maxUpstreamCalls: number;
  readonly maxParallelCalls: number;
  /** Whether a request may ask for its upstream calls with `Sluice-Explain: 1`. */
  readonly explain: boolean;
}

/** Takes a request in. Its time runs from now on, until `end`. */
export type Receive = (header: HeaderOf) => Incoming;

export const createReceive =
  (options: ReceiveOptions): Receive =>
  (header) => {
    const cancellation = new CancellationSource();
    const deadline = setTimeout(() => cancellation.cancel('late'), options.operationTimeoutMs);
    const explain = options.explain && header('sluice-explain') === '1';
    const secrets = createRequestSecrets(
      credentialHeaders.map(header).filter((value) => value !== null),
    );
    const marks = marksOf(header, secrets);
    return {
      caller: {
        credentials: credentialsOf(header),
        requestId: marks.requestId ?? createUuid(),
        traceHeaders: marks.traceHeaders,
        calls: explain ? createCallLog() : noCallLog,
        budget: createCallBudget(options.maxUpstreamCalls, options.maxParallelCalls),
        secrets,
        arrivals: { any: false },
        cancellation,
      },
      explain,
      began: performance.now(),
      end: () => {
        clearTimeout(deadline);
        cancellation.cancel('gone');
      },
    };
  };

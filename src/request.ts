import { randomUUID } from 'node:crypto';
import { credentialHeaders, credentialsOf } from './credentials.ts';
import { type HeaderOf, traceHeadersOf } from './trace-context.ts';
import { createBudget } from './upstream/budget.ts';
import { createCallLog } from './upstream/call/explain.ts';
import type { UpstreamCaller } from './upstream/index.ts';
import { createRequestSecrets, type RequestSecrets } from './upstream/secrets.ts';

export type { HeaderOf } from './trace-context.ts';

const requestId = /^[\w.-]{1,128}$/;

/** What a caller says of its request for logs and traces. */
interface Marks {
  readonly requestId?: string | undefined;
  readonly traceHeaders: readonly string[];
}

/** Nothing where a credential is among them: both upstreams get them, and the log the id. */
const marksOf = (header: HeaderOf, secrets: RequestSecrets): Marks => {
  const given = header('x-request-id');
  const id = given !== null && requestId.test(given) ? given : undefined;
  const traceHeaders = traceHeadersOf(header);
  const shown = [id ?? '', ...traceHeaders].join('\n');
  if (shown !== '' && !secrets.areMissingIn(shown)) return { traceHeaders: [] };
  return { requestId: id, traceHeaders };
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
  readonly maxUpstreamBytes: number;
  /** Whether a request may ask for its upstream calls with `Sluice-Explain: 1`. */
  readonly explain: boolean;
}

/** Takes a request in. Its time runs from now on, until `end`. */
export type Receive = (header: HeaderOf) => Incoming;

export const createReceive =
  (options: ReceiveOptions): Receive =>
  (header) => {
    const controller = new AbortController();
    const deadline = setTimeout(
      () => controller.abort(new DOMException('late', 'TimeoutError')),
      options.operationTimeoutMs,
    );
    const explain = options.explain && header('sluice-explain') === '1';
    const secrets = createRequestSecrets(
      credentialHeaders.map(header).filter((value) => value !== null),
    );
    const marks = marksOf(header, secrets);
    return {
      caller: {
        credentials: credentialsOf(header),
        requestId: marks.requestId ?? randomUUID(),
        traceHeaders: marks.traceHeaders,
        calls: explain ? createCallLog() : undefined,
        budget: createBudget(options),
        secrets,
        signal: controller.signal,
      },
      explain,
      began: performance.now(),
      end: () => {
        clearTimeout(deadline);
        controller.abort();
      },
    };
  };

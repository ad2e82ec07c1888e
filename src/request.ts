import { credentialsOf } from './credentials.ts';
import { SmallMap } from './small.ts';
import { type HeaderOf, traceHeadersOf } from './trace-context.ts';
import { createCallBudget } from './upstream/call-budget.ts';
import { createCallLog, noCallLog } from './upstream/call-log.ts';
import { CancellationSource } from './upstream/cancellation.ts';
import type { UpstreamCaller } from './upstream/index.ts';
import { createUuid } from './uuid.ts';

export type { HeaderOf } from './trace-context.ts';

/** The caller's own id of the request where it is a harmless one, so that logs can be joined; else a new one. */
const requestIdOf = (header: HeaderOf): string => {
  const given = header('x-request-id');
  return given !== null && /^[\w.-]{1,128}$/.test(given) ? given : createUuid();
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
    const cancellation = new CancellationSource();
    const deadline = setTimeout(() => cancellation.cancel('late'), options.operationTimeoutMs);
    const explain = options.explain && header('sluice-explain') === '1';
    return {
      caller: {
        credentials: credentialsOf(header),
        requestId: requestIdOf(header),
        traceHeaders: traceHeadersOf(header),
        calls: explain ? createCallLog() : noCallLog,
        budget: createCallBudget(
          options.maxUpstreamCalls,
          options.maxParallelCalls,
          options.maxUpstreamBytes,
        ),
        secrets: new SmallMap(),
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

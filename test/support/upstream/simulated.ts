import { createWatches } from '../../../src/live/watches.ts';
import type { Call, Credential } from '../../../src/upstream/call.ts';
import { createCallLog } from '../../../src/upstream/events/explain.ts';
import type { CallLog } from '../../../src/upstream/events/fate.ts';
import {
  createAges,
  createProgress,
  createWaits,
} from '../../../src/upstream/events/request-facts.ts';
import {
  createUpstreams,
  type Upstream,
  type UpstreamCaller,
} from '../../../src/upstream/index.ts';
import { endless } from '../../../src/upstream/operation-time.ts';
import { createRequestSecrets } from '../../../src/upstream/secrets.ts';
import { createTestBudget } from './calls.ts';

type Options = Parameters<typeof createUpstreams>[0];

const standard: Options = {
  createWatches,
  managementUrl: new URL('http://management.invalid'),
  observabilityUrl: new URL('http://observability.invalid'),
  extendedReads: true,
  managementRate: undefined,
  observabilityRate: undefined,
  pacingWaitMs: 25_000,
  readCacheBytes: 64 * 1024 * 1024,
  maxStaleMs: 600_000,
  pipeStateCommandField: 'command',
  userAgent: 'test',
  timeoutMs: 30_000,
  writeTimeoutMs: 180_000,
  maxResponseBytes: 16 * 1024 * 1024,
  maxRetries: 1,
  breakerFailures: 100_000,
  upstreamConnections: 256,
  breakerHalfOpenMs: 10_000,
  onBreaker: () => undefined,
  onUnusableRows: () => undefined,
  onFailure: () => undefined,
};

/** How a request asks: with which credentials, and for how old answers at most. */
export interface Asking {
  readonly management?: string;
  readonly observability?: string;
  /** `max-age` of the request, in seconds; 0 stands for `no-cache`. */
  readonly maxAge?: number;
  /** How long it may take, in milliseconds. */
  readonly timeoutMs?: number;
}

/** One request to the gateway, below GraphQL. */
export interface Request extends Upstream {
  readonly caller: UpstreamCaller & { readonly calls: CallLog<Call> };
  leave(): void;
}

const given = (value: string | undefined): Credential =>
  value === undefined ? { kind: 'absent' } : { kind: 'given', value };

/** The gateway below GraphQL, with its steps in their order. What its calls reach is for the test to say. */
export const startSimulated = (options: Partial<Options> = {}, name = 'request') => {
  const upstreams = createUpstreams({ ...standard, ...options });
  let requests = 0;
  return {
    upstreams,
    /** A request that comes now. */
    ask: ({
      management,
      observability,
      maxAge = Infinity,
      timeoutMs = 30_000,
    }: Asking): Request => {
      const lifetime = new AbortController();
      requests += 1;
      const arrivedAt = performance.now();
      const caller = {
        credentials: { management: given(management), observability: given(observability) },
        requestId: `${name}-${requests}`,
        traceHeaders: [],
        calls: createCallLog(),
        secrets: createRequestSecrets([]),
        budget: createTestBudget(100, Number.MAX_SAFE_INTEGER),
        signal: lifetime.signal,
        arrivedAt,
        time: { ...endless, deadline: arrivedAt + timeoutMs },
        later: () => ({ signal: lifetime.signal, deadline: arrivedAt + timeoutMs }),
        readAfter: arrivedAt - maxAge * 1000,
        ages: createAges(),
        waits: createWaits(),
        progress: createProgress(),
      };
      return {
        ...upstreams.bind(caller),
        caller,
        leave: () => lifetime.abort(new DOMException('gone', 'AbortError')),
      };
    },
  };
};

export type Simulated = ReturnType<typeof startSimulated>;

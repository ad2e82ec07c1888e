import type { Call, Credential } from '../../../src/upstream/call.ts';
import type { CallLog } from '../../../src/upstream/fate.ts';
import {
  createUpstreams,
  type Upstream,
  type UpstreamCaller,
} from '../../../src/upstream/index.ts';
import { endless } from '../../../src/upstream/operation-time.ts';
import { createTestBudget, createTestCaller } from './calls.ts';

type Options = Parameters<typeof createUpstreams>[0];

const standard: Options = {
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
  onSent: () => undefined,
  onBreaker: () => undefined,
  onUnusableRows: () => undefined,
  onFailure: () => undefined,
};

/** The credentials of a request, and the greatest age of its answers. */
interface Asking {
  readonly management?: string;
  readonly observability?: string;
  /** `max-age` of the request, in seconds; 0 means `no-cache`. */
  readonly maxAge?: number;
}

/** One request to the layers below GraphQL. */
export interface Request extends Upstream {
  readonly caller: UpstreamCaller & { readonly calls: CallLog<Call> };
  leave(): void;
}

const given = (value: string | undefined): Credential =>
  value === undefined ? { kind: 'absent', expected: 'a header' } : { kind: 'given', value };

/** The layers below GraphQL, with their steps in order. The test decides the answers to its calls. */
export const startSimulated = (options: Partial<Options> = {}, name = 'request') => {
  const upstreams = createUpstreams({ ...standard, ...options });
  let requests = 0;
  return {
    upstreams,
    /** Starts a request now. */
    ask: ({ management, observability, maxAge = Infinity }: Asking): Request => {
      requests += 1;
      const own = createTestCaller({
        requestId: `${name}-${requests}`,
        budget: createTestBudget(100, Number.MAX_SAFE_INTEGER),
      });
      const deadline = own.arrivedAt + standard.timeoutMs;
      const caller = {
        ...own,
        credentials: { management: given(management), observability: given(observability) },
        time: { ...endless, deadline },
        later: () => ({ signal: own.signal, deadline }),
        readAfter: own.arrivedAt - maxAge * 1000,
      };
      return {
        ...upstreams.bind(caller),
        caller,
        leave: () => own.leave(),
      };
    },
  };
};

export type Simulated = ReturnType<typeof startSimulated>;

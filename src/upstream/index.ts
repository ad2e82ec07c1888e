import type { Tracer } from '@opentelemetry/api';
import { createWatches } from '../live/watches.ts';
import { type Watching, watchingBoth } from '../live/watching.ts';
import { type BreakerState, createBreaker } from './breaker.ts';
import { createBreakerStep } from './call/breaker.ts';
import { budget, bytes, parallel } from './call/budget.ts';
import { createCache, staleMs } from './call/cache.ts';
import { type Call, type Caller, type Credential, compose } from './call/call.ts';
import { createConnection } from './call/connection.ts';
import { explain } from './call/explain.ts';
import { createFailures } from './call/failures.ts';
import { createMeasure } from './call/measure.ts';
import { once } from './call/once.ts';
import { createPace } from './call/pace.ts';
import { createRetry } from './call/retry.ts';
import { createTransport } from './call/send.ts';
import { createShare } from './call/share.ts';
import { createTrace } from './call/trace.ts';
import { type Client, createClientFactory } from './client.ts';
import type { Failure, UpstreamName } from './error.ts';
import { holderOf } from './holder.ts';
import { management, observability, type RestInterface } from './interface.ts';
import { type ManagementOperations, managementOperations } from './management/operations.ts';
import { type ManagementProfileName, managementProfiles } from './management/profiles/index.ts';
import { createMemory, type Memory } from './memory.ts';
import {
  type ObservabilityOperations,
  observabilityOperations,
} from './observability/operations.ts';
import {
  type ObservabilityProfileName,
  observabilityProfiles,
} from './observability/profiles/index.ts';
import type { DropReason, Observer } from './observer.ts';
import type { Operations } from './operation.ts';
import type { Profile } from './profile.ts';
import type { Shared } from './shared.ts';
import type { Rate } from './slots.ts';
import { createTurns } from './turns.ts';

/** Both interfaces, bound to one caller for one request. */
export interface Upstream {
  readonly management: Client<ManagementOperations>;
  readonly observability: Client<ObservabilityOperations>;
}

/** What the upstreams are to be told of a request; each credential reaches its own upstream only. */
export type UpstreamCaller = Omit<Caller, 'credential' | 'reads'> & {
  readonly credentials: Readonly<Record<UpstreamName, Credential>>;
};

interface UpstreamsOptions {
  readonly managementUrl: URL;
  readonly observabilityUrl: URL;
  /** What the services do differently; `reference` if absent. */
  readonly managementProfile?: ManagementProfileName | undefined;
  readonly observabilityProfile?: ObservabilityProfileName | undefined;
  readonly extendedReads: boolean;
  readonly shareInFlight: boolean;
  /** How often a credential may call each upstream; undefined where nothing is to be counted. */
  readonly managementRate: Rate | undefined;
  readonly observabilityRate: Rate | undefined;
  /** How long a call may wait for its turn within these rates, in milliseconds. */
  readonly pacingWaitMs: number;
  /** Bytes of reads kept in memory; 0 where none are to be kept. */
  readonly readCacheBytes: number;
  /** What replicas have in common; undefined where each goes by itself. */
  readonly shared?: Shared | undefined;
  /** How long after it was read something that streams watch is polled at the earliest, in milliseconds; 5 s and 3 s if absent. */
  readonly pollMs?: Readonly<Record<UpstreamName, number>> | undefined;
  readonly pipeStateCommandField: string;
  readonly userAgent: string;
  /** See `TransportOptions.timeoutMs`. */
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  /** How often a read is sent again where what failed may pass. */
  readonly maxRetries: number;
  /** Failures in a row that open an upstream's breaker. */
  readonly breakerFailures: number;
  /** Connections to each upstream. */
  readonly upstreamConnections: number;
  /** Calls that may wait for a connection to each upstream. */
  readonly upstreamQueue: number;
  /** How long an open breaker keeps all calls back, in milliseconds. */
  readonly breakerHalfOpenMs: number;
  /** Makes the spans of calls; undefined where none are made. */
  readonly tracer?: Tracer | undefined;
  readonly onBreaker: (upstream: UpstreamName, state: BreakerState) => void;
  readonly onUnusableRows: (
    upstream: UpstreamName,
    operation: string,
    rows: number,
    requestId: string,
  ) => void;
  /** Told of every call that the upstream, not the caller, is to blame for. */
  readonly onFailure: (failure: Failure, requestId: string) => void;
  /** Absent where nothing is counted. */
  readonly observer?: Observer | undefined;
}

export interface Upstreams {
  /** How the breaker of each upstream stands. */
  breakers(): Readonly<Record<UpstreamName, BreakerState>>;
  bind(caller: UpstreamCaller): Upstream;
  /** What streams of events watch. */
  readonly watching: Watching;
  /** How many calls each upstream would take now from the caller; null where that is not known or nothing is counted. */
  callsLeft(
    caller: Pick<UpstreamCaller, 'credentials'>,
  ): Readonly<Record<UpstreamName, number | null>>;
  /** Waits for what is in flight, such as writes whose callers have left, until the signal is aborted. */
  close(signal: AbortSignal): Promise<void>;
}

/** The forms in which an upstream may name itself to those who need not know where it is. */
const addressesOf = ({ href, origin, host, hostname, port }: URL): readonly string[] =>
  // A word or a small number would be found in sentences about anything.
  [href, origin, host, hostname, port].filter((address) => /[.:]|\d{4}/.test(address));

interface UpstreamParts<Table> {
  readonly api: RestInterface;
  readonly baseUrl: URL;
  readonly table: Table;
  readonly profile: Profile<Table>;
  readonly rate: Rate | undefined;
  readonly memory: Memory | undefined;
  /** How long after it was read something is polled at the earliest, in milliseconds. */
  readonly leastMs: number;
}

/** What is reckoned with for what streams watch where no reads are kept. */
const defaultCacheBytes = 64 * 1024 * 1024;

/** One upstream for the life of the gateway: the steps that its calls pass, outermost first, and its connections. */
const createUpstream = <Table extends Operations>(
  options: UpstreamsOptions,
  { api, baseUrl, table, profile, rate, memory, leastMs }: UpstreamParts<Table>,
) => {
  const { upstreamConnections: connections, onFailure, maxRetries, observer } = options;
  const closing = new AbortController();
  const transport = createTransport({ ...options, baseUrl, connections });
  const turns = createTurns({ places: connections, maxWaiting: options.upstreamQueue });
  const breaker = createBreaker({
    failures: options.breakerFailures,
    halfOpenMs: options.breakerHalfOpenMs,
    onChange: (state) => {
      options.onBreaker(api.name, state);
      if (state !== 'open') return;
      turns.dismiss();
      pace?.dismiss();
    },
  });
  const logOf = rate && options.shared?.slots(api.name, rate);
  const pace = rate && createPace({ rate, waitMs: options.pacingWaitMs, breaker, logOf });
  const cache = memory && createCache({ memory, closing: closing.signal });
  const watches = createWatches({
    ...{ leastMs, rate, answersFirst: memory !== undefined },
    maxBytes: (options.readCacheBytes || defaultCacheBytes) / 8,
  });
  const trace = options.tracer && createTrace(options.tracer);
  const share = options.shareInFlight ? createShare() : undefined;
  const measure = observer && createMeasure(observer);
  const send = compose(
    [
      explain,
      trace?.note,
      once,
      bytes,
      measure?.reads,
      watches.step,
      cache?.step,
      watches.note,
      measure?.refusals,
      share?.step,
      createRetry({ maxRetries, isPaced: pace !== undefined }),
      budget,
      createFailures({ addresses: addressesOf(baseUrl), onFailure }),
      pace && measure ? measure.waiting(pace) : pace?.step,
      parallel,
      createConnection({ turns, breaker }),
      pace?.recheck,
      createBreakerStep(breaker),
      measure?.sending,
      trace?.step,
    ],
    transport.send,
  );
  const isScarce = (call: Call): boolean => {
    const { holder, path } = call;
    if (watches.isListWatched(call)) return true;
    if (pace === undefined) return false;
    return pace.left(holder) === 0 || share?.isReadingBeside(holder, path) === true;
  };
  const bind = createClientFactory(table, {
    api,
    profile,
    send,
    known: { kept: (call) => watches.kept(call) ?? cache?.kept(call), isScarce },
    drop: (call) => cache?.drop(call),
    extendedReads: options.extendedReads,
    onFailure,
    onUnusableRows: (operation, rows, requestId) =>
      options.onUnusableRows(api.name, operation, rows, requestId),
  });
  return {
    breaker,
    watches,
    callsLeft: ({ credentials }: Pick<UpstreamCaller, 'credentials'>): number | null => {
      const credential = credentials[api.name];
      return pace && credential.kind === 'given' ? pace.left(holderOf(credential)) : null;
    },
    close: async (signal: AbortSignal): Promise<void> => {
      closing.abort();
      await transport.close(signal);
    },
    bind: ({ credentials, ...caller }: UpstreamCaller): Client<Table> =>
      bind({ ...caller, credential: credentials[api.name], reads: new Map() }),
  };
};

export const createUpstreams = (options: UpstreamsOptions): Upstreams => {
  const { readCacheBytes, pollMs = { management: 5000, observability: 3000 }, observer } = options;
  const onDrop = (reason: DropReason): void => observer?.dropped(reason);
  const memory =
    readCacheBytes > 0
      ? createMemory({ maxBytes: readCacheBytes, maxAgeMs: staleMs, onDrop })
      : undefined;
  const both = {
    management: createUpstream(options, {
      api: management,
      baseUrl: options.managementUrl,
      table: managementOperations(options.pipeStateCommandField),
      profile: managementProfiles[options.managementProfile ?? 'reference'],
      rate: options.managementRate,
      memory,
      leastMs: pollMs.management,
    }),
    observability: createUpstream(options, {
      api: observability,
      baseUrl: options.observabilityUrl,
      table: observabilityOperations,
      profile: observabilityProfiles[options.observabilityProfile ?? 'reference'],
      rate: options.observabilityRate,
      memory,
      leastMs: pollMs.observability,
    }),
  };
  return {
    watching: watchingBoth(both.management.watches, both.observability.watches),
    breakers: () => ({
      management: both.management.breaker.state,
      observability: both.observability.breaker.state,
    }),
    bind: (caller) => ({
      management: both.management.bind(caller),
      observability: both.observability.bind(caller),
    }),
    callsLeft: (caller) => ({
      management: both.management.callsLeft(caller),
      observability: both.observability.callsLeft(caller),
    }),
    close: async (signal) => {
      await Promise.all([both.management.close(signal), both.observability.close(signal)]);
    },
  };
};

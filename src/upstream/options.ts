import type { Tracer } from '@opentelemetry/api';
import type { CallerIds } from './call.ts';
import type { Failure, UpstreamName } from './error.ts';
import type { LoggedCall } from './fates/index.ts';
import type { Observer } from './fates/metrics.ts';
import type { Rate } from './gate/slots.ts';
import type { ProfileNames } from './profiles.ts';
import type { BreakerState } from './sending/breaker.ts';
import type { Proxies } from './sending/egress.ts';
import type { Shared } from './shared.ts';

/** The base URL of each upstream. The observability interface may be served by the management upstream. */
export interface UpstreamUrls {
  readonly managementUrl: URL;
  readonly observabilityUrl: URL | undefined;
}

/** The upstreams that have a URL, each with it. */
export const urlsOf = ({
  managementUrl,
  observabilityUrl,
}: UpstreamUrls): readonly (readonly [UpstreamName, URL])[] => [
  ['management', managementUrl],
  ...(observabilityUrl ? [['observability', observabilityUrl] as const] : []),
];

/** The options of all upstreams. */
export interface UpstreamsOptions extends ProfileNames, UpstreamUrls {
  /** The proxies through which calls go; undefined if there are none. */
  readonly proxies?: Proxies | undefined;
  readonly extendedReads: boolean;
  /** Whether tools may write to paths for which there is no row. */
  readonly foreignWrites?: boolean | undefined;
  /** How many calls a credential may make to each upstream in a window; undefined if calls are not counted. */
  readonly managementRate: Rate | undefined;
  readonly observabilityRate: Rate | undefined;
  /** How long a call may wait for its turn within these rates, in milliseconds. */
  readonly pacingWaitMs: number;
  /** The most bytes of reads in memory; 0 keeps none. */
  readonly readCacheBytes: number;
  /** The age up to which an old answer may be shown while a new one is read, in milliseconds. */
  readonly maxStaleMs: number;
  /** What replicas share; undefined if they share nothing. */
  readonly shared?: Shared | undefined;
  /**
   * The shortest time between the answer of a watched read and its next poll, in milliseconds; 5 s and 3 s if absent.
   */
  readonly pollMs?: Readonly<Record<UpstreamName, number>> | undefined;
  readonly pipeStateCommandField: string;
  readonly userAgent: string;
  /** See `TransportOptions`. */
  readonly timeoutMs: number;
  readonly writeTimeoutMs: number;
  readonly maxResponseBytes: number;
  /** How many times a read is sent again after failures that may pass. */
  readonly maxRetries: number;
  /** How many failures in a row open an upstream's breaker. */
  readonly breakerFailures: number;
  /** The most open connections to each upstream. */
  readonly upstreamConnections: number;
  /** How long an open breaker refuses all calls, in milliseconds. */
  readonly breakerHalfOpenMs: number;
  /** Makes the spans of calls; undefined without traces. */
  readonly tracer?: Tracer | undefined;
  readonly onBreaker: (upstream: UpstreamName, state: BreakerState) => void;
  readonly onUnusableRows: (
    upstream: UpstreamName,
    operation: string,
    rows: number,
    ids: CallerIds,
  ) => void;
  /** Called for every failed call whose failure the caller has not caused. */
  readonly onFailure: (failure: Failure, ids: CallerIds) => void;
  /** Called once a call that was sent has ended. */
  readonly onSent: (call: LoggedCall, ids: CallerIds) => void;
  /** Absent without metrics. */
  readonly observer?: Observer | undefined;
}

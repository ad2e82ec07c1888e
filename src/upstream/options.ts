import type { Tracer } from '@opentelemetry/api';
import type { Failure, UpstreamName } from './error.ts';
import type { Observer } from './events/metrics.ts';
import type { Rate } from './gate/slots.ts';
import type { ProfileNames } from './profiles.ts';
import type { BreakerState } from './sending/breaker.ts';
import type { Shared } from './shared.ts';
import type { Watches, WatchesOptions } from './watching.ts';

/** What both upstreams are made with. */
export interface UpstreamsOptions extends ProfileNames {
  readonly managementUrl: URL;
  readonly observabilityUrl: URL;
  readonly extendedReads: boolean;
  /** How often a credential may call each upstream; undefined where nothing is to be counted. */
  readonly managementRate: Rate | undefined;
  readonly observabilityRate: Rate | undefined;
  /** How long a call may wait for its turn within these rates, in milliseconds. */
  readonly pacingWaitMs: number;
  /** Bytes of reads kept in memory; 0 where none are to be kept. */
  readonly readCacheBytes: number;
  /** How old a read may be at most that is shown while it is read anew, in milliseconds. */
  readonly maxStaleMs: number;
  /** What replicas have in common; undefined where each goes by itself. */
  readonly shared?: Shared | undefined;
  /** How long after it was read something that streams watch is polled at the earliest, in milliseconds; 5 s and 3 s if absent. */
  readonly pollMs?: Readonly<Record<UpstreamName, number>> | undefined;
  /** What streams watch of an upstream: `live/` has it. */
  readonly createWatches: (options: WatchesOptions) => Watches;
  readonly pipeStateCommandField: string;
  readonly userAgent: string;
  /** See `TransportOptions`. */
  readonly timeoutMs: number;
  readonly writeTimeoutMs: number;
  readonly maxResponseBytes: number;
  /** How often a read is sent again where what failed may pass. */
  readonly maxRetries: number;
  /** Failures in a row that open an upstream's breaker. */
  readonly breakerFailures: number;
  /** Connections to each upstream. */
  readonly upstreamConnections: number;
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

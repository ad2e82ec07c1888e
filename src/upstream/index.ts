import { type BreakerState, createBreaker } from './breaker.ts';
import type { Caller, ClientOptions, Credential } from './call.ts';
import type { CallBudget } from './call-budget.ts';
import { type Client, createClientFactory } from './client.ts';
import type { UpstreamName } from './error.ts';
import { createInFlight } from './in-flight.ts';
import { management, observability } from './interface.ts';
import { type ManagementOperations, managementOperations } from './management/operations.ts';
import {
  type ObservabilityOperations,
  observabilityOperations,
} from './observability/operations.ts';
import { createTransport } from './transport.ts';
import { createTurns } from './turns.ts';

/** Both interfaces, bound to one caller for one request. */
export interface Upstream {
  readonly management: Client<ManagementOperations>;
  readonly observability: Client<ObservabilityOperations>;
}

/** What each upstream is to be told of a request; a credential reaches its own upstream only. */
export type UpstreamCaller = Omit<Caller, 'credential' | 'budget'> & {
  /** How many calls the request may make, to both together. */
  readonly budget: CallBudget;
  readonly credentials: Readonly<Record<UpstreamName, Credential>>;
};

export interface UpstreamsOptions {
  readonly managementUrl: URL;
  readonly observabilityUrl: URL;
  readonly extendedReads: boolean;
  readonly shareInFlight: boolean;
  readonly pipeStateCommandField: string;
  readonly userAgent: string;
  /** See `TransportOptions.timeoutMs`. */
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  /** See `ClientOptions.maxRetries`. */
  readonly maxRetries: number;
  /** Failures in a row that open an upstream's breaker. */
  readonly breakerFailures: number;
  /** Connections to each upstream. */
  readonly upstreamConnections: number;
  /** Calls that may wait for a connection to each upstream. */
  readonly upstreamQueue: number;
  /** How long an open breaker keeps all calls back, in milliseconds. */
  readonly breakerHalfOpenMs: number;
  readonly onBreaker: (upstream: UpstreamName, state: BreakerState) => void;
  readonly onUnusableRows: (
    upstream: UpstreamName,
    operation: string,
    rows: number,
    requestId: string,
  ) => void;
  readonly onFailure: ClientOptions['onFailure'];
}

export interface Upstreams {
  /** How the breaker of each upstream stands. */
  breakers(): Readonly<Record<UpstreamName, BreakerState>>;
  /**
   * @param arrived of the very same credentials: what has arrived for it, or failed, is not read again by one whose
   * caller is cancelled
   */
  bind(caller: UpstreamCaller, arrived?: Upstream): Upstream;
  /** How many times reads in flight have been parted by a write; see `InFlight`. */
  partings(): number;
  close(): Promise<void>;
}

/** The forms in which an upstream may name itself to those who need not know where it is. */
const addressesOf = ({ href, origin, host, hostname, port }: URL): readonly string[] =>
  // A word or a small number would be found in sentences about anything.
  [href, origin, host, hostname, port].filter((address) => /[.:]|\d{4}/.test(address));

type Bind<Bound> = (caller: Caller, arrived: Bound | undefined) => Bound;

/**
 * The clients of one request, each bound when it is first used. A class, since V8 makes a hidden class of its own for
 * each object that is written down with getters, and keeps it with all that they refer to.
 */
class BoundUpstream implements Upstream {
  readonly #caller: UpstreamCaller;
  readonly #bindManagement: Bind<Upstream['management']>;
  readonly #bindObservability: Bind<Upstream['observability']>;
  readonly #arrived: Upstream | undefined;
  #management: Upstream['management'] | undefined;
  #observability: Upstream['observability'] | undefined;

  constructor(
    caller: UpstreamCaller,
    bindManagement: Bind<Upstream['management']>,
    bindObservability: Bind<Upstream['observability']>,
    arrived: Upstream | undefined,
  ) {
    this.#caller = caller;
    this.#bindManagement = bindManagement;
    this.#bindObservability = bindObservability;
    this.#arrived = arrived;
  }

  get management(): Upstream['management'] {
    this.#management ??= this.#bindManagement(
      this.#callerOf('management'),
      this.#arrived?.management,
    );
    return this.#management;
  }

  get observability(): Upstream['observability'] {
    this.#observability ??= this.#bindObservability(
      this.#callerOf('observability'),
      this.#arrived?.observability,
    );
    return this.#observability;
  }

  #callerOf(name: UpstreamName): Caller {
    const { credentials, requestId, traceHeaders, calls, secrets, arrivals, budget, cancellation } =
      this.#caller;
    const credential = credentials[name];
    return { credential, requestId, traceHeaders, calls, secrets, arrivals, budget, cancellation };
  }
}

/** One connection pool an upstream, for the life of the gateway. */
export const createUpstreams = (options: UpstreamsOptions): Upstreams => {
  const { extendedReads, userAgent, timeoutMs, maxResponseBytes } = options;
  const transportTo = (baseUrl: URL) =>
    createTransport({
      baseUrl,
      timeoutMs,
      maxResponseBytes,
      connections: options.upstreamConnections,
    });
  const transports = {
    management: transportTo(options.managementUrl),
    observability: transportTo(options.observabilityUrl),
  };
  const createUpstreamTurns = () =>
    createTurns({ places: options.upstreamConnections, maxWaiting: options.upstreamQueue });
  const turns = { management: createUpstreamTurns(), observability: createUpstreamTurns() };
  const breakerOf = (name: UpstreamName) =>
    createBreaker({
      failures: options.breakerFailures,
      halfOpenMs: options.breakerHalfOpenMs,
      onChange: (state) => {
        options.onBreaker(name, state);
        if (state === 'open') turns[name].dismiss();
      },
    });
  const breakers = {
    management: breakerOf('management'),
    observability: breakerOf('observability'),
  };
  const inFlight = options.shareInFlight
    ? { management: createInFlight(), observability: createInFlight() }
    : undefined;
  const clientOptions = (name: UpstreamName) => ({
    transport: transports[name],
    turns: turns[name],
    breaker: breakers[name],
    addresses: addressesOf(
      name === 'management' ? options.managementUrl : options.observabilityUrl,
    ),
    maxRetries: options.maxRetries,
    extendedReads,
    userAgent,
    inFlight: inFlight?.[name],
    onFailure: options.onFailure,
    onUnusableRows: (operation: string, rows: number, requestId: string) =>
      options.onUnusableRows(name, operation, rows, requestId),
  });
  const bindManagement = createClientFactory(managementOperations(options.pipeStateCommandField), {
    api: management,
    ...clientOptions('management'),
  });
  const bindObservability = createClientFactory(observabilityOperations, {
    api: observability,
    ...clientOptions('observability'),
  });
  return {
    breakers: () => ({
      management: breakers.management.state,
      observability: breakers.observability.state,
    }),
    partings: () => (inFlight ? inFlight.management.partings + inFlight.observability.partings : 0),
    bind: (caller, arrived) =>
      new BoundUpstream(caller, bindManagement, bindObservability, arrived),
    close: async () => {
      await Promise.all([transports.management.close(), transports.observability.close()]);
    },
  };
};

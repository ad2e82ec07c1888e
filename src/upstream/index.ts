import { type Caller, type Credential, compose } from './call.ts';
import { createClientFactory } from './client.ts';
import { holderOf } from './credential-identity.ts';
import { createDirect, type Direct } from './direct.ts';
import { type UpstreamName, upstreamNames } from './error.ts';
import { createFates } from './fates/index.ts';
import { type CredentialStatus, createCredentialStatus } from './gate/credential-status.ts';
import { createGate } from './gate/index.ts';
import { createRetry } from './gate/retry.ts';
import type { Rate } from './gate/slots.ts';
import type { RestInterface } from './interface.ts';
import { type ManagementOperations, managementOperations } from './management/operations.ts';
import type { Client } from './methods.ts';
import {
  type ObservabilityOperations,
  observabilityOperations,
} from './observability/operations.ts';
import type { Operations } from './operation.ts';
import { type UpstreamsOptions, urlsOf } from './options.ts';
import type { Profile } from './profile.ts';
import { interfacesOf, profilesOf } from './profiles.ts';
import { createReader, type Reader } from './reader.ts';
import { createEntries, type DropReason, type Entries } from './reads/entries.ts';
import { once } from './reads/once.ts';
import type { ReadCall, SoughtRead } from './reads/read-call.ts';
import { createTable } from './reads/table.ts';
import type { WatchCounts } from './reads/watches.ts';
import { atPaths } from './rows.ts';
import { type BreakerState, createBreaker } from './sending/breaker.ts';
import { bytes } from './sending/bytes.ts';
import { addressesOf, createFailures } from './sending/failures.ts';
import { createTransport } from './sending/send.ts';

/** Both interfaces, bound to one caller for one request. */
export interface Upstream {
  readonly management: Client<ManagementOperations>;
  readonly observability: Client<ObservabilityOperations>;
}

/** What the upstreams need of a request. Each credential reaches only the upstream that serves its interface. */
export type UpstreamCaller = Omit<Caller, 'credential' | 'reads' | 'tell'> & {
  readonly credentials: Readonly<Record<UpstreamName, Credential>>;
};

export interface Upstreams {
  /** The state of each upstream's breaker. */
  breakers(): Readonly<Partial<Record<UpstreamName, BreakerState>>>;
  bind(caller: UpstreamCaller): Upstream;
  /** For each upstream: makes a call as a tool wrote it. Absent where another upstream serves the interface. */
  readonly direct: Readonly<Partial<Record<UpstreamName, Direct>>>;
  /** The names of the operations that the profiles do not have or that are switched off. */
  readonly unavailable: ReadonlySet<string>;
  /** The reads that streams of events watch. */
  watched(): WatchCounts;
  /** For each interface: which credentials the upstream that serves it has lately accepted or refused. */
  readonly credentialStatuses: Readonly<Record<UpstreamName, CredentialStatus>>;
  /**
   * How many calls the caller could send to each upstream now; null if calls are not counted, or without a credential. An
   * interface that another upstream serves has a number only with a credential of its own.
   */
  callsLeft(
    caller: Pick<UpstreamCaller, 'credentials'>,
  ): Readonly<Partial<Record<UpstreamName, number | null>>>;
  /**
   * Ends all reads in the background, and refuses the calls that cannot be sent in time.
   *
   * @param at the last time to send a call, in milliseconds of `performance.now()`
   */
  drain(at: number): void;
  /**
   * Cuts off all reads under way. With a `TimeoutError` as the reason they have failed, else no request waits for them.
   */
  giveUp(reason?: DOMException): void;
  /** Waits for calls in flight, such as writes whose callers have left, until the signal is aborted. */
  close(signal: AbortSignal): Promise<void>;
}

interface DestinationParts {
  readonly name: UpstreamName;
  /** The interfaces that it serves. */
  readonly interfaces: readonly UpstreamName[];
  readonly baseUrl: URL;
  readonly rate: Rate | undefined;
  readonly entries: Entries;
  readonly reader: Reader;
  /** The shortest time between a read's answer and its next poll, in milliseconds. */
  readonly leastMs: number;
}

/** The longest time for which any read is fresh, in milliseconds. */
const longestFreshMs = 600_000;

/** The share of pinned answers is computed from this size if memory keeps no reads. */
const defaultCacheBytes = 64 * 1024 * 1024;

/**
 * One upstream for the life of the gateway: the steps that calls pass, the connections, and all that belongs to a
 * credential there, whichever interface it is used for.
 */
const createDestination = (
  options: UpstreamsOptions,
  { name, interfaces, baseUrl, rate, entries, reader, leastMs }: DestinationParts,
) => {
  const { upstreamConnections: connections, onFailure, maxRetries } = options;
  const closing = new AbortController();
  const transport = createTransport({ ...options, baseUrl, connections });
  const credentialStatus = createCredentialStatus(name);
  const breaker = createBreaker({
    failures: options.breakerFailures,
    halfOpenMs: options.breakerHalfOpenMs,
    onChange: (state) => {
      options.onBreaker(name, state);
      if (state === 'open') gate.dismiss();
      if (state === 'closed') table.watches.recovered();
    },
  });
  const logOf = rate && options.shared?.slots(name, rate);
  const gate = createGate({
    ...{ rate, waitMs: options.pacingWaitMs, connections, breaker, credentialStatus, logOf },
  });
  const shared = entries.areKept ? options.shared?.memory : undefined;
  const fates = createFates(options);
  const table = createTable({
    ...{ entries, interfaces, shared, isUsable: reader.isUsable, closing: closing.signal },
    polls: {
      ...{ leastMs, sharers: options.shared?.processes ?? 1, resultOf: reader.resultOf },
      poll: (call) => inner(call),
    },
    ...{ onFound: credentialStatus.foundAtReplica, isProven: credentialStatus.isProven },
    provenSince: credentialStatus.provenSince,
    // Without memory, a replica does not learn what other replicas have changed since a read was sent.
    joins: entries.areKept || !options.shared,
    ...{ rate, maxStaleMs: options.maxStaleMs },
  });
  const failures = createFailures({ addresses: addressesOf(baseUrl), onFailure });
  const retry = createRetry({ maxRetries, isPaced: rate !== undefined });
  const sent = compose([credentialStatus.step], fates.sending(transport.send));
  const paced = compose([retry, failures, gate.step], sent);
  // Polls take this way. Requests take it too, within their own memory and limits.
  const inner = compose([table.step], paced);
  const isScarce = (read: SoughtRead): boolean => {
    if (table.watches.isListWatched(read)) return true;
    if (rate === undefined) return false;
    return gate.left(read.holder) === 0 || table.isReadingBeside(read);
  };
  return {
    ...{ name, rate, breaker, credentialStatus, tell: fates.tell },
    send: compose([once, bytes<ReadCall>], inner),
    known: { kept: table.known, isScarce },
    watched: table.watches.counts,
    callsLeft: (credential: Credential): number | null =>
      rate && credential.kind === 'given' ? gate.left(holderOf(credential)) : null,
    drain: (at: number): void => {
      closing.abort();
      gate.endAt(at);
    },
    giveUp: table.giveUp,
    close: transport.close,
  };
};

type Destination = ReturnType<typeof createDestination>;

interface TreeParts<Rows> {
  readonly api: RestInterface;
  readonly operations: Rows;
  readonly profile: Profile<Rows>;
  /** See `createRows`. */
  readonly beside: Operations | undefined;
  readonly reader: Reader;
}

/** One interface: what calls mean, and the clients that make them. */
const createTree = <Rows extends Operations>(
  { extendedReads, onFailure, foreignWrites = false }: UpstreamsOptions,
  { rate, send, known, tell }: Destination,
  { api, operations, profile, beside, reader }: TreeParts<Rows>,
) => {
  const { bind, unavailable, offered } = createClientFactory(operations, {
    ...{ api, profile, beside, rate, reader, send, known, onFailure, extendedReads },
    hasForeignWrites: foreignWrites && api.pathsNameOwner,
  });
  return {
    ...{ api, unavailable, offered },
    bind: (
      { credentials, ...caller }: UpstreamCaller,
      reads: Caller['reads'] = new Map(),
    ): Client<Rows> => bind({ ...caller, credential: credentials[api.name], tell, reads }),
  };
};

/** Makes the upstreams that the interfaces need: one each, or one for both. */
const createDestinations = (options: UpstreamsOptions, reader: Reader) => {
  const { readCacheBytes, observer, pollMs = { management: 5000, observability: 3000 } } = options;
  const onDrop = (reason: DropReason): void => observer?.dropped(reason);
  const entries = createEntries({
    ...{ maxBytes: readCacheBytes, maxAgeMs: Math.max(options.maxStaleMs, longestFreshMs), onDrop },
    maxPinnedBytes: (readCacheBytes || defaultCacheBytes) / 8,
  });
  const interfaces = interfacesOf(options);
  const rates = { management: options.managementRate, observability: options.observabilityRate };
  const all = new Map(
    urlsOf(options).map(([name, baseUrl]) => [
      name,
      createDestination(options, {
        ...{ name, baseUrl, rate: rates[name], entries, reader, leastMs: pollMs[name] },
        interfaces: upstreamNames.filter((each) => interfaces[each].destination === name),
      }),
    ]),
  );
  const of = (name: UpstreamName): Destination => {
    const { destination } = interfaces[name];
    const found = all.get(destination);
    if (!found) throw new TypeError(`${name} needs a URL of ${destination}`);
    return found;
  };
  return {
    all: [...all.values()],
    of: { management: of('management'), observability: of('observability') },
    interfaces,
  };
};

/** Whether the calls of an interface count in no limit of another one: it has an upstream or a credential of its own. */
const hasOwnLimit = (
  { name, destination }: RestInterface,
  credentials: UpstreamCaller['credentials'],
): boolean => {
  const [own, other] = [credentials[name], credentials[destination]];
  if (destination === name) return true;
  if (own.kind !== 'given') return false;
  return other.kind !== 'given' || holderOf(own) !== holderOf(other);
};

export const createUpstreams = (options: UpstreamsOptions): Upstreams => {
  const { onFailure, onUnusableRows } = options;
  const reader = createReader({ onFailure, onUnusableRows });
  const { all, of, interfaces } = createDestinations(options, reader);
  const profiles = profilesOf(options);
  const managed = managementOperations(options.pipeStateCommandField);
  const isOne = of.management === of.observability;
  const management = createTree(options, of.management, {
    api: interfaces.management,
    operations: managed,
    profile: profiles.management,
    beside: isOne ? atPaths(observabilityOperations, profiles.observability) : undefined,
    reader,
  });
  const observability = createTree(options, of.observability, {
    api: interfaces.observability,
    operations: observabilityOperations,
    profile: profiles.observability,
    beside: isOne ? atPaths(managed, profiles.management) : undefined,
    reader,
  });
  const trees = [observability, management];
  const direct = all.map(({ name, send, tell }): [UpstreamName, Direct] => {
    const its = trees.filter(({ api }) => api.destination === name);
    const rows = its.flatMap(({ offered }) => offered);
    const apis = its.map(({ api }) => api);
    return [name, createDirect({ name, rows, apis, send, tell })];
  });
  return {
    direct: Object.fromEntries(direct),
    credentialStatuses: {
      management: of.management.credentialStatus,
      observability: of.observability.credentialStatus,
    },
    watched: () => {
      const counts = all.map(({ watched }) => watched());
      return {
        reads: counts.reduce((sum, { reads }) => sum + reads, 0),
        credentials: counts.reduce((sum, { credentials }) => sum + credentials, 0),
      };
    },
    breakers: () => Object.fromEntries(all.map(({ name, breaker }) => [name, breaker.state])),
    unavailable: new Set([...management.unavailable, ...observability.unavailable]),
    bind: (caller) => {
      // A write of one tree may change what the request has read in the other.
      const reads: Caller['reads'] | undefined = isOne ? new Map() : undefined;
      return {
        management: management.bind(caller, reads),
        observability: observability.bind(caller, reads),
      };
    },
    callsLeft: ({ credentials }) => {
      const counted = upstreamNames.filter((name) => hasOwnLimit(interfaces[name], credentials));
      return Object.fromEntries(
        counted.map((name) => [name, of[name].callsLeft(credentials[name])]),
      );
    },
    drain: (at) => {
      for (const { drain } of all) drain(at);
    },
    giveUp: (reason) => {
      for (const { giveUp } of all) giveUp(reason);
    },
    close: async (signal) => {
      await Promise.all(all.map(({ close }) => close(signal)));
    },
  };
};

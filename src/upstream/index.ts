import { type Caller, type Credential, compose } from './call.ts';
import { createClientFactory } from './client.ts';
import { holderOf } from './credential-identity.ts';
import type { UpstreamName } from './error.ts';
import { createFates } from './fates/index.ts';
import { type CredentialStatus, createCredentialStatus } from './gate/credential-status.ts';
import { createGate } from './gate/index.ts';
import { createRetry } from './gate/retry.ts';
import type { Rate } from './gate/slots.ts';
import { management, observability, type RestInterface } from './interface.ts';
import { type ManagementOperations, managementOperations } from './management/operations.ts';
import type { Client } from './methods.ts';
import {
  type ObservabilityOperations,
  observabilityOperations,
} from './observability/operations.ts';
import type { Operations } from './operation.ts';
import type { UpstreamsOptions } from './options.ts';
import type { Profile } from './profile.ts';
import { profilesOf } from './profiles.ts';
import { createReader } from './reader.ts';
import { createEntries, type DropReason, type Entries } from './reads/entries.ts';
import { once } from './reads/once.ts';
import type { ReadCall, SoughtRead } from './reads/read-call.ts';
import { createTable } from './reads/table.ts';
import type { WatchCounts } from './reads/watches.ts';
import { type BreakerState, createBreaker } from './sending/breaker.ts';
import { bytes } from './sending/bytes.ts';
import { addressesOf, createFailures } from './sending/failures.ts';
import { createTransport } from './sending/send.ts';

/** Both interfaces, bound to one caller for one request. */
export interface Upstream {
  readonly management: Client<ManagementOperations>;
  readonly observability: Client<ObservabilityOperations>;
}

/** What the upstreams need of a request. Each credential reaches only its own upstream. */
export type UpstreamCaller = Omit<Caller, 'credential' | 'reads' | 'tell'> & {
  readonly credentials: Readonly<Record<UpstreamName, Credential>>;
};

export interface Upstreams {
  /** The state of each upstream's breaker. */
  breakers(): Readonly<Record<UpstreamName, BreakerState>>;
  bind(caller: UpstreamCaller): Upstream;
  /** The names of the operations that the profiles do not have or that are switched off. */
  readonly unavailable: ReadonlySet<string>;
  /** The reads that streams of events watch. */
  watched(): WatchCounts;
  /** Which credentials each upstream has lately accepted or refused. */
  readonly credentialStatuses: Readonly<Record<UpstreamName, CredentialStatus>>;
  /**
   * How many calls the caller could send to each upstream now; null if calls are not counted, or without a credential.
   */
  callsLeft(
    caller: Pick<UpstreamCaller, 'credentials'>,
  ): Readonly<Record<UpstreamName, number | null>>;
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

interface UpstreamParts<Rows> {
  readonly api: RestInterface;
  readonly baseUrl: URL;
  readonly operations: Rows;
  readonly profile: Profile<Rows>;
  readonly rate: Rate | undefined;
  readonly entries: Entries;
  /** The shortest time between a read's answer and its next poll, in milliseconds. */
  readonly leastMs: number;
}

/** The longest time for which any read is fresh, in milliseconds. */
const longestFreshMs = 600_000;

/** The share of pinned answers is computed from this size if memory keeps no reads. */
const defaultCacheBytes = 64 * 1024 * 1024;

/** One upstream for the life of the gateway: the steps that calls pass, and the connections. */
const createUpstream = <Rows extends Operations>(
  options: UpstreamsOptions,
  { api, baseUrl, operations, profile, rate, entries, leastMs }: UpstreamParts<Rows>,
) => {
  const { upstreamConnections: connections, onFailure, maxRetries } = options;
  const closing = new AbortController();
  const transport = createTransport({ ...options, baseUrl, connections });
  const credentialStatus = createCredentialStatus();
  const breaker = createBreaker({
    failures: options.breakerFailures,
    halfOpenMs: options.breakerHalfOpenMs,
    onChange: (state) => {
      options.onBreaker(api.name, state);
      if (state === 'open') gate.dismiss();
      if (state === 'closed') table.watches.recovered();
    },
  });
  const logOf = rate && options.shared?.slots(api.name, rate);
  const gate = createGate({
    ...{ rate, waitMs: options.pacingWaitMs, connections, breaker, credentialStatus, logOf },
  });
  const shared = entries.areKept ? options.shared?.memory : undefined;
  const fates = createFates(options);
  const reader = createReader({
    onFailure,
    onUnusableRows: (operation, rows, ids) =>
      options.onUnusableRows(api.name, operation, rows, ids),
  });
  const table = createTable({
    ...{ entries, shared, isUsable: reader.isUsable, closing: closing.signal },
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
  const send = compose([once, bytes<ReadCall>], inner);
  const isScarce = (read: SoughtRead): boolean => {
    if (table.watches.isListWatched(read)) return true;
    if (rate === undefined) return false;
    return gate.left(read.holder) === 0 || table.isReadingBeside(read);
  };
  const { bind, unavailable } = createClientFactory(operations, {
    ...{ api, profile, rate, reader, send, onFailure, extendedReads: options.extendedReads },
    known: { kept: table.known, isScarce },
  });
  return {
    breaker,
    unavailable,
    watched: table.watches.counts,
    credentialStatus,
    callsLeft: ({ credentials }: Pick<UpstreamCaller, 'credentials'>): number | null => {
      const credential = credentials[api.name];
      return rate && credential.kind === 'given' ? gate.left(holderOf(credential)) : null;
    },
    drain: (at: number): void => {
      closing.abort();
      gate.endAt(at);
    },
    giveUp: table.giveUp,
    close: transport.close,
    bind: ({ credentials, ...caller }: UpstreamCaller): Client<Rows> =>
      bind({
        ...caller,
        credential: credentials[api.name],
        tell: fates.tell,
        reads: new Map(),
      }),
  };
};

export const createUpstreams = (options: UpstreamsOptions): Upstreams => {
  const { readCacheBytes, pollMs = { management: 5000, observability: 3000 }, observer } = options;
  const onDrop = (reason: DropReason): void => observer?.dropped(reason);
  const maxAgeMs = Math.max(options.maxStaleMs, longestFreshMs);
  const entries = createEntries({
    ...{ maxBytes: readCacheBytes, maxAgeMs, onDrop },
    maxPinnedBytes: (readCacheBytes || defaultCacheBytes) / 8,
  });
  const profiles = profilesOf(options);
  const both = {
    management: createUpstream(options, {
      api: management,
      baseUrl: options.managementUrl,
      operations: managementOperations(options.pipeStateCommandField),
      profile: profiles.management,
      rate: options.managementRate,
      entries,
      leastMs: pollMs.management,
    }),
    observability: createUpstream(options, {
      api: observability,
      baseUrl: options.observabilityUrl,
      operations: observabilityOperations,
      profile: profiles.observability,
      rate: options.observabilityRate,
      entries,
      leastMs: pollMs.observability,
    }),
  };
  return {
    credentialStatuses: {
      management: both.management.credentialStatus,
      observability: both.observability.credentialStatus,
    },
    watched: () => {
      const [one, other] = [both.management.watched(), both.observability.watched()];
      return {
        reads: one.reads + other.reads,
        credentials: one.credentials + other.credentials,
      };
    },
    breakers: () => ({
      management: both.management.breaker.state,
      observability: both.observability.breaker.state,
    }),
    unavailable: new Set([...both.management.unavailable, ...both.observability.unavailable]),
    bind: (caller) => ({
      management: both.management.bind(caller),
      observability: both.observability.bind(caller),
    }),
    callsLeft: (caller) => ({
      management: both.management.callsLeft(caller),
      observability: both.observability.callsLeft(caller),
    }),
    drain: (at) => {
      both.management.drain(at);
      both.observability.drain(at);
    },
    giveUp: (reason) => {
      both.management.giveUp(reason);
      both.observability.giveUp(reason);
    },
    close: async (signal) => {
      await Promise.all([both.management.close(signal), both.observability.close(signal)]);
    },
  };
};

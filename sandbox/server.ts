import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createListener } from './http.ts';
import { createLimiter } from './limits.ts';
import { createClickstackCloud } from './live/clickstack/index.ts';
import { createCloud } from './live/management/index.ts';
import { createCloudState } from './live/management/state.ts';
import { createEarlierHyperdx } from './live/observability/earlier/index.ts';
import { createEarlierState } from './live/observability/earlier/seeded.ts';
import { createHyperdx } from './live/observability/index.ts';
import { createHyperdxState } from './live/observability/seeded.ts';
import { createClickStacks } from './live/world/clickstack.ts';
import { createManagement } from './management/index.ts';
import { createObservability } from './observability/index.ts';
import type { SandboxProfile } from './profile.ts';
import type { RestInterface } from './rest-interface.ts';
import { type Credentials, credentials } from './world/credentials.ts';
import { type World, world } from './world/ids.ts';
import { createManagementState, createObservabilityState } from './world.ts';

/** The options of a sandbox. */
export type SandboxOptions = {
  /** The dialect of both interfaces; the documented interfaces by default. */
  readonly profile?: SandboxProfile;
  /** 0, the default, uses any free port. */
  readonly managementPort?: number;
  /** 0, the default, uses any free port. */
  readonly observabilityPort?: number;
  /** The clock for new objects, pipe transitions and limits; the real time by default. */
  readonly clock?: () => Date;
  /**
   * Whether it has the reads that are not in the documented interfaces; true by default. The live dialects always have them.
   */
  readonly extendedReads?: boolean;
  /** How long a pipe takes to reach the state of a command, by `clock`; 2000 by default. */
  readonly transitionMs?: number;
  /** Services of an additional organization, the fleet; none by default. */
  readonly fleetSize?: number;
  /** Whether credentials are limited as by the real services; true by default. */
  readonly limits?: boolean;
  /** The address on which both interfaces listen; loopback by default. */
  readonly host?: string;
};

/** A running sandbox. */
export type Sandbox = {
  /** `http://127.0.0.1:` and the port, without a slash at the end, even if it listens on another address. */
  readonly managementUrl: string;
  /** The same as `managementUrl` if observability is below the services. */
  readonly observabilityUrl: string;
  readonly profile: SandboxProfile;
  readonly credentials: Credentials;
  /** The identifiers of its initial objects. */
  readonly world: World;
  /** Services of the fleet. */
  readonly fleetSize: number;
  /** Stops both interfaces and closes all their connections. May be called again. */
  readonly close: () => Promise<void>;
};

// About as long as a real observability server; with Node's default of 5 s, clients would often use closed connections.
const KEEP_ALIVE_MS = 60_000;

const listen = async (listener: RequestListener, port: number, host: string): Promise<Server> => {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, listener);
  server.listen(port, host);
  await once(server, 'listening');
  return server;
};

const stop = async (server: Server): Promise<void> => {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
};

const urlOf = (server: Server): string => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return `http://127.0.0.1:${address.port}`;
};

/**
 * Starts both REST interfaces with a new copy of the initial world. Rejects with Node's error if a port is not available;
 * then nothing keeps running.
 */
export const startSandbox = async (options: SandboxOptions = {}): Promise<Sandbox> => {
  const {
    profile = 'reference',
    managementPort = 0,
    observabilityPort = 0,
    clock = () => new Date(),
    extendedReads = true,
    transitionMs = 2000,
    fleetSize = 0,
    limits = true,
    host = '127.0.0.1',
  } = options;
  const listener = <Caller>(rest: RestInterface<Caller>): RequestListener =>
    createListener(rest, limits ? createLimiter(rest.rate, clock) : undefined);
  const cloudState = () => createCloudState(clock, transitionMs, fleetSize);
  const cloud = () => listener(createCloud(cloudState()));
  const listeners = {
    reference: {
      management: () =>
        listener(
          createManagement(createManagementState(clock, transitionMs, fleetSize), extendedReads),
        ),
      observability: () =>
        listener(createObservability(createObservabilityState(clock), extendedReads)),
    },
    live: {
      management: cloud,
      observability: () => listener(createHyperdx(createHyperdxState(clock))),
    },
    'live-2.13': {
      management: cloud,
      observability: () => listener(createEarlierHyperdx(createEarlierState(clock))),
    },
    'clickstack-cloud': {
      management: () => listener(createClickstackCloud(cloudState(), createClickStacks(clock))),
      observability: undefined,
    },
  }[profile];
  const management = await listen(listeners.management(), managementPort, host);
  const observability = listeners.observability
    ? await listen(listeners.observability(), observabilityPort, host).catch(
        async (error: unknown) => {
          await stop(management);
          throw error;
        },
      )
    : management;
  return {
    managementUrl: urlOf(management),
    observabilityUrl: urlOf(observability),
    credentials,
    world,
    fleetSize,
    profile,
    close: async () => {
      await Promise.all([...new Set([management, observability])].map(stop));
    },
  };
};

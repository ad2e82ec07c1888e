import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { credentialIdentity } from '../upstream/credential-identity.ts';
import type { UpstreamName } from '../upstream/error.ts';
import type { Rate, SlotLog } from '../upstream/gate/slots.ts';
import type { RedisConnection } from './connection.ts';
import type { Names } from './names.ts';
import { createRedisSlotLog, type RedisSlotLog } from './slot-log.ts';
import { RedisUnavailable } from './unavailable.ts';

/** How many logs report at the same time: with more, the last of them would wait too long for Redis. */
const atATime = 50;
/** The most logs that are remembered for later reports to Redis. */
const mostLogs = 20_000;

interface RedisSlotsOptions {
  readonly connection: RedisConnection;
  readonly names: Names;
  /** How many gateways share the slots. */
  readonly replicas: number;
  /**
   * The longest time of a call, in milliseconds. The slots of a killed process are free after this time and a window.
   */
  readonly longestCallMs?: number;
}

/** Makes the slot logs that replicas share. */
export interface RedisSlots {
  of(upstream: UpstreamName, rate: Rate): (credential: string) => SlotLog;
  /** Waits for the last reports to Redis. */
  close(): Promise<void>;
}

export const createRedisSlots = (options: RedisSlotsOptions): RedisSlots => {
  const { connection, names, replicas, longestCallMs = 30_000 } = options;
  const processId = randomBytes(6).toString('hex');
  let lastId = 0;
  const nextId = (): string => {
    lastId += 1;
    return `${processId}:${lastId}`;
  };
  /** Logs that may still have something to report; the last used one is at the end. */
  const logs = new Set<RedisSlotLog>();
  const reporting = new Set<Promise<void>>();

  const onTake = (log: RedisSlotLog): void => {
    logs.delete(log);
    logs.add(log);
    const [first] = logs;
    if (first && logs.size > mostLogs) logs.delete(first);
  };

  const onReport = (promise: Promise<unknown>): void => {
    const noted = promise.then(
      () => undefined,
      (error: unknown) => {
        // The connection itself has reported that it is down.
        if (!(error instanceof RedisUnavailable)) throw error;
      },
    );
    reporting.add(noted);
    void noted.finally(() => reporting.delete(noted));
  };

  connection.onBeat(async (run, era) => {
    for (const log of logs) if (log.isIdle) logs.delete(log);
    const unreported = [...logs].filter((log) => log.hasUnreported(era));
    while (unreported.length > 0) {
      await Promise.all(unreported.splice(0, atATime).map((log) => log.report(run, era)));
    }
  });

  return {
    of: (upstream, rate) => (credential) => {
      const identity = credentialIdentity(credential);
      return createRedisSlotLog({
        slots: names.namesOf('slots', upstream, identity),
        holds: names.namesOf('hold', upstream, identity),
        part: Math.floor(rate.calls / replicas),
        ...{ connection, rate, longestCallMs, nextId, onTake, onReport },
      });
    },
    close: async () => {
      // Calls that have just ended have yet to report their slots.
      await setImmediate();
      while (reporting.size > 0) await Promise.allSettled(reporting);
    },
  };
};

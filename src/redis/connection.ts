import { randomUUID } from 'node:crypto';
import { createRedisClock } from './clock.ts';
import type { RedisInfo } from './info.ts';
import { type Argument, openLink } from './link.ts';
import { isForAnyEra, type Script } from './scripts.ts';
import { createRedisStatus, type RedisProblem, type RedisState } from './status.ts';
import { orNothing, RedisUnavailable, reasonOf, within } from './unavailable.ts';

/**
 * A time in which Redis has lost no data. A new era begins when Redis is flushed or restarted, when a replica is
 * promoted, when no gateway was running for minutes, or when Redis' clock is set back.
 */
export interface Era {
  readonly id: string;
  /** The latest time at which the era can have begun, in milliseconds of `performance.now()`. */
  readonly bornAt: number;
}

/** This process's connection to the Redis that replicas share. */
export interface RedisConnection {
  readonly state: RedisState;
  readonly problem: RedisProblem | undefined;
  /** Present while Redis is up. A new era may lack what Redis knew in the era before. */
  readonly era: Era | undefined;
  /** Whether Redis answers, even if in an era that this process has not joined yet. */
  readonly answers: boolean;
  /** What Redis said of itself at the last beat. */
  readonly info: RedisInfo | undefined;
  /**
   * Until when other processes may have changes that Redis lacks after an outage, in milliseconds of
   * `performance.now()`.
   */
  readonly doubtfulUntil: number;
  /** Waits for the first attempt to reconnect after a loss, and returns whether Redis is up. */
  rejoined(): Promise<boolean>;
  /**
   * Runs a script if Redis is still in the era of this connection, or if the script is for any era. Texts in replies
   * are buffers.
   *
   * Rejects with `RedisUnavailable` at once while Redis is down, and after `timeoutMs` without an answer, which means
   * that Redis is down. The script may still be executed later.
   */
  run: Run;
  /**
   * Converts a time of `performance.now()` to Redis' clock, and back. Each result is rather too early than too late.
   */
  toRedis(localMs: number): number;
  fromRedis(redisMs: number): number;
  /**
   * Registers a function that is called whenever Redis is back, before Redis counts as up, and about once a second
   * after that. It must run its scripts with its argument `run`, which is bound to the era.
   */
  onBeat(report: (run: Run, era: Era) => Promise<void>): void;
  close(): void;
}

export type Run = (
  script: Script,
  keys: readonly string[],
  args: readonly Argument[],
) => Promise<unknown>;

interface ConnectionOptions {
  /** May hold a password. */
  readonly url: string;
  /** How long each command may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Called for each change, at the start, and from time to time while there is a problem. */
  readonly onChange: (state: RedisState, problem: RedisProblem | undefined) => void;
  /** How often a problem is reported again, and how long a refused command is not tried again, in milliseconds. */
  readonly remindMs?: number | undefined;
}

/** How often the era is read or, while Redis is lost, a connection is tried, in milliseconds. */
const beatMs = 1000;
/**
 * How long after this process all others are connected again at the latest, in milliseconds: a beat and their reports.
 */
const othersMs = 2 * beatMs;
/** The reason of an error after which a connection must join another era. */
const eraEnded = 'ERA';

/** Opens a connection, which is down at first. While Redis cannot be reached, it keeps trying. */
export const connectRedis = (options: ConnectionOptions): RedisConnection => {
  const { url, timeoutMs, onChange, remindMs = 60_000 } = options;
  const clock = createRedisClock();
  const status = createRedisStatus(onChange, remindMs);
  const reports: Parameters<RedisConnection['onBeat']>[0][] = [];
  let info: RedisInfo | undefined;
  /** Whether Redis has answered since it was out of reach. */
  let answers = false;
  let era: Era | undefined;
  let wasJoined = false;
  let reviewing: Promise<void> | undefined;
  /** The first attempt to reconnect since the last loss. */
  let rejoining: Promise<void> = Promise.resolve();
  /** Whether an attempt has failed since Redis was up. */
  let wasOutOfReach = false;
  let doubtfulUntil = -Infinity;
  /**
   * A command that the user may not run. It is not tried again for a while: it would be refused each time, and Redis
   * would seem up in between.
   */
  let refused = { reason: '', until: -Infinity };

  const lose = (reason: string): void => {
    const wasUp = era !== undefined;
    era = undefined;
    if (reason !== eraEnded) answers = false;
    if (reason.startsWith('NOPERM')) refused = { reason, until: performance.now() + remindMs };
    // A new connection asks the sentinels, or the name server, for the present master.
    if (reason === 'READONLY') link.reopen(reason);
    status.report('down', reason);
    // In a new era, Redis may be used again as soon as this process has reported its changes and slots.
    if (!wasUp && reason !== eraEnded) return;
    rejoining = new Promise((resolve) => {
      setImmediate(() => void review().then(resolve));
    });
  };

  const beat = async (): Promise<Era> => {
    if (performance.now() < refused.until) throw new RedisUnavailable(refused.reason);
    info = await link.info();
    const asked = performance.now();
    const reply = await link.send('era', '', [], [randomUUID(), info.runId]);
    const [id, born, time] = Array.isArray(reply) ? reply.map(String) : [];
    clock.measure(Number(time), asked, performance.now());
    answers = true;
    return { id: String(id), bornAt: clock.latest(Number(born)) };
  };

  const runIn =
    (id: string): Run =>
    async (script, keys, args) => {
      try {
        return await link.send(script, isForAnyEra(script) ? '' : id, keys, args);
      } catch (error) {
        // An error from an earlier era says nothing about the present one.
        if (era === undefined || era.id === id) lose(reasonOf(error));
        throw error;
      }
    };

  const reviewOnce = async (): Promise<void> => {
    if (link.isOpening && status.isUnknown) return;
    try {
      const found = await beat();
      if (era && era.id !== found.id) lose(eraEnded);
      for (const report of reports) await report(runIn(found.id), era ?? found);
      // Another command may have failed meanwhile.
      if (!answers) return;
      if (wasOutOfReach) doubtfulUntil = performance.now() + othersMs;
      wasOutOfReach = false;
      wasJoined = true;
      era ??= found;
      status.report('up', info?.warning);
    } catch (error) {
      const reason = reasonOf(error);
      // A process that was never connected has kept nothing that other processes could have made old.
      wasOutOfReach ||= wasJoined && reason !== eraEnded;
      lose(reason);
    }
  };

  const review = (): Promise<void> => {
    reviewing ??= reviewOnce().finally(() => {
      reviewing = undefined;
    });
    return reviewing;
  };

  const link = openLink({
    ...{ url, timeoutMs, retryMs: beatMs, onLost: lose },
    onReady: () => void review(),
  });
  const beating = setInterval(() => void review(), beatMs);
  /** Usually longer than one command and the reports after it. */
  const rejoiningMs = 2 * timeoutMs;

  return {
    get state() {
      return era ? 'up' : 'down';
    },
    get problem() {
      return status.problem;
    },
    get era() {
      return era;
    },
    get answers() {
      return answers;
    },
    get info() {
      return info;
    },
    get doubtfulUntil() {
      return doubtfulUntil;
    },
    rejoined: async () => {
      await orNothing(within(rejoining, rejoiningMs));
      return era !== undefined;
    },
    run: (script, keys, args) => {
      const isPossible = isForAnyEra(script) ? answers : era !== undefined;
      if (!isPossible) return Promise.reject(new RedisUnavailable('down'));
      return runIn(era?.id ?? '')(script, keys, args);
    },
    toRedis: clock.toRedis,
    fromRedis: clock.earliest,
    onBeat: (report) => void reports.push(report),
    close: () => {
      status.close();
      era = undefined;
      answers = false;
      clearInterval(beating);
      link.close();
    },
  };
};

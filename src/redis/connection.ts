import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { beatScript, checked, type Script, settlingMs, toleranceMs } from './era-scripts.ts';
import { type Inspection, inspectRedis } from './inspect.ts';
import { openRedis } from './sentinels.ts';

/**
 * The time since Redis may have lost data. A new era begins when Redis is flushed or restarted, when a replica is promoted,
 * or when Redis' clock jumps.
 */
export interface Era {
  readonly id: string;
  /** The latest time at which it can have begun, in milliseconds of `performance.now()`. */
  readonly bornAt: number;
}

/** Redis does not answer, or has lost its data. The message names no address. */
export class RedisUnavailable extends Error {
  /** A code of Node or the first word of a Redis error, such as `ECONNREFUSED`, `timeout`, `WRONGPASS` or `NOPERM hset`. */
  readonly reason: string;

  constructor(reason: string) {
    super(`Redis is unavailable: ${reason}`);
    this.name = 'RedisUnavailable';
    this.reason = reason;
  }
}

/** Resolves with undefined if Redis is out of reach. */
export const orNothing = async <Value>(asked: Promise<Value>): Promise<Value | undefined> => {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RedisUnavailable) return undefined;
    throw error;
  }
};

export type RedisState = 'up' | 'down';

/** Why Redis is down, or is about to lose data. */
export interface RedisProblem {
  /** As in `RedisUnavailable`, or a setting of Redis such as `maxmemory-policy allkeys-lru`. */
  readonly reason: string;
  /** An ISO time. */
  readonly since: string;
}

/** This process's connection to the Redis that replicas share. */
export interface RedisConnection {
  readonly state: RedisState;
  readonly problem: RedisProblem | undefined;
  /** Present while Redis is up. In a new era, what Redis knew in the era before may be lost. */
  readonly era: Era | undefined;
  /**
   * No slot may be taken until then, in milliseconds of `performance.now()`: Redis' clock has jumped, and all processes
   * report their calls again.
   */
  readonly settledAt: number;
  /**
   * Other processes may have changes that Redis does not know until then, in milliseconds of `performance.now()`, since
   * Redis was out of reach.
   */
  readonly doubtfulUntil: number;
  /** Waits for the first attempt to reconnect after a loss, and returns whether Redis is up. */
  rejoined(): Promise<boolean>;
  /**
   * Runs a script, if Redis is still in the era of this connection. Texts in replies are buffers.
   *
   * Rejects with `RedisUnavailable` at once while Redis is down, and after `timeoutMs` without an answer; Redis counts as
   * down from then on. The script may still be executed later.
   */
  run(
    script: Script,
    keys: readonly string[],
    args: readonly (string | number | Buffer)[],
  ): Promise<unknown>;
  /** Converts a time of `performance.now()` to Redis' clock, and back. Each result is rather too early than too late. */
  toRedis(localMs: number): number;
  fromRedis(redisMs: number): number;
  /** `tell` is called whenever Redis is back, before any other script. It runs its scripts with `run`, in that era. */
  beforeUp(tell: (run: RedisConnection['run'], era: Era) => Promise<void>): void;
  /** `does` is called about once a second while Redis is up. */
  onBeat(does: () => Promise<void>): void;
  close(): void;
}

interface ConnectionOptions {
  /** May hold a password. */
  readonly url: string;
  /** How long each command may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Called for each change, once at the start, and again and again while there is a problem. */
  readonly onChange: (state: RedisState, problem: RedisProblem | undefined) => void;
  /** How often a problem is told, and Redis' settings are looked at, in milliseconds. */
  readonly remindMs?: number | undefined;
}

/** The start of all names in Redis. Braces keep the names in one slot of a Redis cluster. */
export const namePrefix = '{sluice}:';

const eraName = `${namePrefix}era`;
/** How often the era is read, or a lost Redis is tried again, in milliseconds. */
const beatMs = 1000;
/** How long after this process all others are connected again, in milliseconds: a beat, and their reports. */
const othersMs = 2 * beatMs;
/** How long a connection may leave a command unanswered before a new one is opened, in milliseconds. */
const silenceMs = 5000;

/** A code of Node, or the first word of a Redis error. It holds no secret. */
export const reasonOf = (error: unknown): string => {
  if (error instanceof RedisUnavailable) return error.reason;
  if (!(error instanceof Error)) return typeof error;
  if ('code' in error && typeof error.code === 'string') return error.code;
  const { message, name } = error;
  // Redis' errors begin with a word in capitals; other messages may quote secrets.
  const word = /^[A-Z]{2,}\b/.exec(message)?.[0];
  if (word === 'NOPERM') return `NOPERM ${/'([a-z|]+)' command/.exec(message)?.[1] ?? 'keys'}`;
  if (message.startsWith('ERR DB index')) return 'DATABASE';
  if (!message.startsWith('All sentinels are unreachable')) return word ?? name;
  return ['SENTINELS', ...(/(?<=Last error: )[A-Z]{2,}\b/.exec(message) ?? [])].join(' ');
};

/** Waits for a reply, at most for that time. A reply that has arrived by then counts, even if this process was too busy to read it. */
export const within = <Value>(reply: Promise<Value>, milliseconds: number): Promise<Value> =>
  new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new RedisUnavailable('timeout'));
    const timer = setTimeout(() => setImmediate(giveUp), milliseconds);
    reply.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(new RedisUnavailable(reasonOf(error)));
      },
    );
  });

/** What a Redis says of itself. Each of its answers may take that long, in milliseconds. */
export const inspectOver = async (client: Redis, timeoutMs: number): Promise<Inspection> => {
  const { db = 0 } = client.options;
  // ioredis would go on with database 0 where this one does not exist.
  if (db > 0) await within(client.select(db), timeoutMs);
  return inspectRedis(
    () => within(client.info(), timeoutMs),
    (script, key) => within(client.callBuffer('EVAL', script, 1, key), timeoutMs),
    `${namePrefix}rehearsal`,
  );
};

/** Opens a connection, which is down at first. If Redis cannot be reached, it is tried again and again. */
export const connectRedis = ({
  url,
  timeoutMs,
  onChange,
  remindMs = 60_000,
}: ConnectionOptions): RedisConnection => {
  const client = openRedis(url, {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    retryStrategy: () => beatMs,
    sentinelRetryStrategy: () => beatMs,
    connectTimeout: silenceMs,
    sentinelCommandTimeout: silenceMs,
    socketTimeout: silenceMs,
  });
  const openedAt = performance.now();
  const listeners: ((run: RedisConnection['run'], era: Era) => Promise<void>)[] = [];
  const beats: (() => Promise<void>)[] = [];
  let era: Era | undefined;
  let told: RedisState | undefined;
  let toldAt = -Infinity;
  let problem: RedisProblem | undefined;
  let inspected: Inspection | undefined;
  let inspectedAt = -Infinity;
  /** Why the last attempt to connect failed. */
  let connecting: string | undefined;
  let reviewing: Promise<void> | undefined;
  /** The first attempt since the loss. */
  let rejoining: Promise<void> = Promise.resolve();
  /** Whether an attempt has failed since Redis was up. */
  let wasOutOfReach = false;
  let doubtfulUntil = -Infinity;
  let isClosed = false;
  /** Redis' time minus this process's time. The true value lies between these two. */
  let offset = { atReply: 0, atRequest: 0 };
  /** The era in which the offset was measured. */
  let lastId = '';
  let settledAt = -Infinity;

  const tell = (state: RedisState, reason: string | undefined): void => {
    if (isClosed) return;
    const isOther = state === 'up' && reason !== problem?.reason;
    const isNew = state !== told || isOther;
    const isDue = reason !== undefined && performance.now() >= toldAt + remindMs;
    const since = isNew || !problem ? new Date().toISOString() : problem.since;
    problem = reason === undefined ? undefined : { reason, since };
    told = state;
    if (!isNew && !isDue) return;
    toldAt = performance.now();
    onChange(state, problem);
  };

  const lose = (reason: string): void => {
    const wasUp = era !== undefined;
    era = undefined;
    inspected = undefined;
    if (reason === 'READONLY' && client.status === 'ready') {
      // A new connection asks the sentinels, or the name server, which Redis is the master now.
      connecting = reason;
      client.disconnect(true);
    }
    if (reason === 'CLOCK') settledAt = performance.now() + settlingMs;
    tell('down', reason);
    // In a new era Redis may be used again as soon as this process has reported to it.
    if (!wasUp && reason !== 'ERA' && reason !== 'CLOCK') return;
    rejoining = new Promise((resolve) => {
      setImmediate(() => void review().then(resolve));
    });
  };

  const send = (
    script: Script,
    keys: readonly string[],
    args: readonly (string | number | Buffer)[],
  ): Promise<unknown> => {
    const all = [eraName, ...keys];
    const reply = client.callBuffer('EVAL', script, all.length, ...all, ...args);
    return within(reply, timeoutMs);
  };

  /** What this Redis says of itself. Rejects if it is of no use. */
  const inspect = async (): Promise<Inspection> => {
    const now = performance.now();
    if (inspected && now < inspectedAt + remindMs) return inspected;
    const found = await inspectOver(client, timeoutMs);
    if (found.fault !== undefined) throw new RedisUnavailable(found.fault);
    inspected = found;
    inspectedAt = now;
    return found;
  };

  /**
   * @param ended the era that ends because the clock has jumped, or ''
   * @param jumpMs by how much the clock has jumped
   */
  const beat = async (ended = '', jumpMs = 0) => {
    const { runId } = await inspect();
    const asked = performance.now();
    const reply = await send(beatScript, [], [randomUUID(), ended, Math.ceil(jumpMs), runId]);
    const came = performance.now();
    const [value, time] = Array.isArray(reply) ? reply : [];
    const [id = '', born, settled] = String(value).split(' ');
    const found = { atReply: Number(time) - came, atRequest: Number(time) - asked };
    const bornAt = Number(born) - found.atReply;
    return { id, bornAt, settledAt: settled ? Number(settled) - found.atReply : -Infinity, found };
  };

  /** By how much the clock has jumped between two offsets; 0 if it may have run normally. */
  const jumpOf = (from: typeof offset, to: typeof offset): number => {
    const isLater = to.atReply > from.atRequest + toleranceMs;
    const isEarlier = to.atRequest < from.atReply - toleranceMs;
    return isLater || isEarlier ? to.atRequest - from.atReply : 0;
  };

  const ask = async (): Promise<Era> => {
    let answer = await beat();
    const jumpMs = answer.id === lastId ? jumpOf(offset, answer.found) : 0;
    if (jumpMs !== 0) answer = await beat(lastId, jumpMs);
    lastId = answer.id;
    offset = answer.found;
    settledAt = Math.min(answer.settledAt, performance.now() + settlingMs);
    return { id: answer.id, bornAt: answer.bornAt };
  };

  /** The era, and the two times of Redis' clock between which the script has to run. */
  const expected = (id: string): string => {
    const now = performance.now();
    const earliest = Math.floor(now + offset.atReply - toleranceMs);
    const latest = Math.ceil(now + offset.atRequest + toleranceMs + timeoutMs);
    return `${id} ${earliest} ${latest}`;
  };

  const runIn =
    (id: string): RedisConnection['run'] =>
    async (script, keys, args) => {
      try {
        return await send(checked(script), keys, [expected(id), ...args]);
      } catch (error) {
        // An error from an earlier era says nothing about the current one.
        if (era === undefined || era.id === id) lose(reasonOf(error));
        throw error;
      }
    };

  /** Finds the era, and reports first what Redis has to know. */
  const join = async (): Promise<void> => {
    const found = await ask();
    for (const listener of listeners) await listener(runIn(found.id), found);
    if (wasOutOfReach) doubtfulUntil = performance.now() + othersMs;
    wasOutOfReach = false;
    era = found;
    tell('up', inspected?.warning);
  };

  const reviewOnce = async (): Promise<void> => {
    try {
      if (client.status !== 'ready') {
        const isFirst = told === undefined && connecting === undefined;
        // Nothing is known yet.
        if (isFirst && performance.now() < openedAt + silenceMs) return;
        throw new RedisUnavailable(connecting ?? 'connecting');
      }
      const { id } = era ?? {};
      if (id !== undefined && (await ask()).id !== id) {
        lose(settledAt > performance.now() ? 'CLOCK' : 'ERA');
      }
      if (!era) await join();
      else {
        tell('up', inspected?.warning);
        for (const does of beats) await does();
      }
    } catch (error) {
      // A process that was never connected has kept nothing that others may have changed.
      wasOutOfReach = lastId !== '';
      lose(reasonOf(error));
    }
  };

  const review = (): Promise<void> => {
    reviewing ??= reviewOnce().finally(() => {
      reviewing = undefined;
    });
    return reviewing;
  };

  client.on('error', (error: unknown) => {
    connecting = reasonOf(error);
  });
  client.on('close', () => lose(connecting ?? 'closed'));
  client.on('ready', () => {
    connecting = undefined;
    void review();
  });
  const beating = setInterval(() => void review(), beatMs);
  /** Usually longer than a command and the reports after it. */
  const rejoiningMs = 2 * timeoutMs;

  return {
    get state() {
      return era ? 'up' : 'down';
    },
    get problem() {
      return problem;
    },
    get era() {
      return era;
    },
    get settledAt() {
      return settledAt;
    },
    get doubtfulUntil() {
      return doubtfulUntil;
    },
    rejoined: async () => {
      await orNothing(within(rejoining, rejoiningMs));
      return era !== undefined;
    },
    run: (script, keys, args) =>
      era ? runIn(era.id)(script, keys, args) : Promise.reject(new RedisUnavailable('down')),
    toRedis: (localMs) => localMs + offset.atReply,
    fromRedis: (redisMs) => redisMs - offset.atRequest,
    beforeUp: (listener) => void listeners.push(listener),
    onBeat: (does) => void beats.push(does),
    close: () => {
      isClosed = true;
      era = undefined;
      clearInterval(beating);
      client.disconnect();
    },
  };
};

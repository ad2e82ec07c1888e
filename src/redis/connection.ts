import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { beatScript, checked, type Script, settlingMs, toleranceMs } from './era-scripts.ts';

/** The time since Redis was last empty. A new era begins when Redis is flushed or restarted, or when its clock jumps. */
export interface Era {
  readonly id: string;
  /** The latest time at which it can have begun, in milliseconds of `performance.now()`. */
  readonly bornAt: number;
}

/** Redis does not answer, or has lost its data. The message names no address. */
export class RedisUnavailable extends Error {
  /** A code of Node or the first word of a Redis error, such as `ECONNREFUSED`, `timeout` or `WRONGPASS`. */
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

/** This process's connection to the Redis that replicas share. */
export interface RedisConnection {
  readonly state: RedisState;
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
  /** Called for each change with its reason, and once at the start. */
  readonly onChange: (state: RedisState, reason: string | undefined) => void;
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
  // Redis' errors begin with a word in capitals; other messages may quote secrets.
  return /^[A-Z]{2,}\b/.exec(error.message)?.[0] ?? error.name;
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

/** Opens a connection, which is down at first. If Redis cannot be reached, it is tried again and again. */
export const connectRedis = ({ url, timeoutMs, onChange }: ConnectionOptions): RedisConnection => {
  const client = new Redis(url, {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => beatMs,
    socketTimeout: silenceMs,
    connectionName: 'sluice',
  });
  const listeners: ((run: RedisConnection['run'], era: Era) => Promise<void>)[] = [];
  const beats: (() => Promise<void>)[] = [];
  let era: Era | undefined;
  let told: RedisState | undefined;
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

  const tell = (state: RedisState, reason?: string): void => {
    if (state === told || isClosed) return;
    told = state;
    onChange(state, reason);
  };

  const lose = (reason: string): void => {
    const wasUp = era !== undefined;
    era = undefined;
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

  /**
   * @param ended the era that ends because the clock has jumped, or ''
   * @param jumpMs by how much the clock has jumped
   */
  const beat = async (ended = '', jumpMs = 0) => {
    const asked = performance.now();
    const reply = await send(beatScript, [], [randomUUID(), ended, Math.ceil(jumpMs)]);
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
    tell('up');
  };

  const reviewOnce = async (): Promise<void> => {
    try {
      if (client.status !== 'ready') throw new RedisUnavailable(connecting ?? 'connecting');
      const { id } = era ?? {};
      if (id !== undefined && (await ask()).id !== id) {
        lose(settledAt > performance.now() ? 'CLOCK' : 'ERA');
      }
      if (!era) await join();
      else for (const does of beats) await does();
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

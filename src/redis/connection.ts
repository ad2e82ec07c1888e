import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { beatScript, checked, type Script, settlingMs, toleranceMs } from './era-scripts.ts';

/** What Redis has held since it was empty. Another one begins where it was flushed or started anew, or its clock has jumped. */
export interface Era {
  readonly id: string;
  /** When it began, at the latest, in milliseconds of `performance.now()`. */
  readonly bornAt: number;
}

/** Redis does not answer, or holds nothing of what it held. The message names no address. */
export class RedisUnavailable extends Error {
  /** A code of Node or the first word of Redis, such as `ECONNREFUSED`, `timeout` or `WRONGPASS`. */
  readonly reason: string;

  constructor(reason: string) {
    super(`Redis is unavailable: ${reason}`);
    this.name = 'RedisUnavailable';
    this.reason = reason;
  }
}

/** Fulfilled with undefined where Redis is out of reach. */
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
  /** Present while it is up. What was known of another era may be lost. */
  readonly era: Era | undefined;
  /**
   * Until then no slot is to be taken, in milliseconds of `performance.now()`: Redis' clock has jumped, and processes tell
   * their calls again.
   */
  readonly settledAt: number;
  /**
   * Until then other processes may have changes that they have not told yet, in milliseconds of `performance.now()`: Redis was
   * out of reach.
   */
  readonly doubtfulUntil: number;
  /** Waits for the first try to have it up again after it was lost, and says whether it is up. */
  rejoined(): Promise<boolean>;
  /**
   * Runs a script, if Redis still holds the era that it was up with. Replies that are texts come as buffers.
   *
   * Rejects with `RedisUnavailable` at once while Redis is down, and after `timeoutMs` where it does not answer; it is down
   * from then on. The script may be executed all the same, later.
   */
  run(
    script: Script,
    keys: readonly string[],
    args: readonly (string | number | Buffer)[],
  ): Promise<unknown>;
  /** A time of `performance.now()` in Redis' milliseconds, and back. Each is a little too early rather than too late. */
  toRedis(localMs: number): number;
  fromRedis(redisMs: number): number;
  /** Has something told to Redis whenever it is back, before anything else is. It runs scripts by the function given, in that era. */
  beforeUp(tell: (run: RedisConnection['run'], era: Era) => Promise<void>): void;
  /** Has something done about once a second while it is up. */
  onBeat(does: () => Promise<void>): void;
  close(): void;
}

interface ConnectionOptions {
  /** May hold a password. */
  readonly url: string;
  /** How long each command may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Told of each change, and why; at first only whether it could be reached. */
  readonly onChange: (state: RedisState, reason: string | undefined) => void;
}

/** What all names in Redis begin with. Braces keep them in one slot of a cluster. */
export const namePrefix = '{sluice}:';

const eraName = `${namePrefix}era`;
/** How often it is asked for, and Redis tried again, in milliseconds. */
const beatMs = 1000;
/** How long after this process the last of the others is up again, in milliseconds: a beat, and what it has to tell. */
const othersMs = 2 * beatMs;
/** How long a connection may be silent while it is asked, until another is opened, in milliseconds. */
const silenceMs = 5000;

const reasonOf = (error: unknown): string => {
  if (error instanceof RedisUnavailable) return error.reason;
  if (!(error instanceof Error)) return typeof error;
  if ('code' in error && typeof error.code === 'string') return error.code;
  // Redis' replies begin with a word in capitals; other messages may quote what they should not.
  return /^[A-Z]{2,}\b/.exec(error.message)?.[0] ?? error.name;
};

/** Waits so long for a reply; what has arrived by then is looked at, however busy this process was. */
const within = <Value>(reply: Promise<Value>, milliseconds: number): Promise<Value> =>
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

/** Opens a connection, which is down at first. It never rejects: where Redis cannot be reached it is tried again. */
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
  /** Why no connection could be made, the last time. */
  let connecting: string | undefined;
  let reviewing: Promise<void> | undefined;
  /** The first try since it was lost. */
  let rejoining: Promise<void> = Promise.resolve();
  /** Whether a try has failed since it was up. */
  let wasOutOfReach = false;
  let doubtfulUntil = -Infinity;
  let isClosed = false;
  /** Redis' time less this process's: it lies between the one when its reply came and the one when it was asked. */
  let offset = { atReply: 0, atRequest: 0 };
  /** The era in which the offset was found. */
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
    // It may be used again as soon as it was told what it has lost.
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

  /** @param ended the era that ends since the clock has jumped, if one does, and by how much */
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

  /** By how much the clock has jumped from one offset to the next; 0 where it may have gone on as it should. */
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

  /** Names the era, and the times between which it has to be in Redis when the script runs there. */
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
        // One that was asked of another era says nothing of this one.
        if (era === undefined || era.id === id) lose(reasonOf(error));
        throw error;
      }
    };

  /** Finds the era, and tells what is to be told first. */
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
      // What was never up has kept nothing that others may have changed.
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
  /** Longer than a command and all that is told when it is up again usually take. */
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

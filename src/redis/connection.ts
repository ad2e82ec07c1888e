import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { beatScript, checked, type Script } from './era-scripts.ts';

/** What Redis has held since it was empty. Another one begins where it was flushed, or started anew. */
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
   * Runs a script, if Redis still holds the era that it was up with. Replies that are texts come as buffers.
   *
   * Rejects with `RedisUnavailable` at once while Redis is down, and after `timeoutMs` where it does not answer; it is down
   * from then on. The script may be executed all the same, later.
   *
   * @param onLate told of the reply of a script that was not waited for any longer
   */
  run(
    script: Script,
    keys: readonly string[],
    args: readonly (string | number | Buffer)[],
    onLate?: (reply: unknown) => void,
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
const within = <Value>(
  reply: Promise<Value>,
  milliseconds: number,
  onLate: (value: Value) => void,
): Promise<Value> =>
  new Promise((resolve, reject) => {
    let isOver = false;
    const giveUp = (): void => {
      isOver = true;
      reject(new RedisUnavailable('timeout'));
    };
    const timer = setTimeout(() => setImmediate(giveUp), milliseconds);
    reply.then(
      (value) => {
        clearTimeout(timer);
        if (isOver) onLate(value);
        else resolve(value);
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
  let isJoining = false;
  let isClosed = false;
  /** Redis' time less this process's, when its reply came and when it was asked. */
  const offset = { atReply: 0, atRequest: 0 };

  const tell = (state: RedisState, reason?: string): void => {
    if (state === told || isClosed) return;
    told = state;
    onChange(state, reason);
  };

  const lose = (reason: string): void => {
    era = undefined;
    tell('down', reason);
    // It answers, and may be used again as soon as it was told what it has lost.
    if (reason === 'ERA') setImmediate(() => void review());
  };

  const send = (
    script: Script,
    keys: readonly string[],
    args: readonly (string | number | Buffer)[],
    onLate: (reply: unknown) => void = () => undefined,
  ): Promise<unknown> => {
    const all = [eraName, ...keys];
    const reply = client.callBuffer('EVAL', script, all.length, ...all, ...args);
    return within(reply, timeoutMs, onLate);
  };

  const ask = async (): Promise<Era> => {
    const asked = performance.now();
    const reply = await send(beatScript, [], [randomUUID()]);
    const came = performance.now();
    const [value, now] = Array.isArray(reply) ? reply : [];
    const [id = '', born] = String(value).split(' ');
    const time = Number(now);
    offset.atReply = time - came;
    offset.atRequest = time - asked;
    return { id, bornAt: Number(born) - offset.atReply };
  };

  const runIn =
    (id: string): RedisConnection['run'] =>
    async (script, keys, args, onLate) => {
      try {
        return await send(checked(script), keys, [id, ...args], onLate);
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
    era = found;
    tell('up');
  };

  const review = async (): Promise<void> => {
    if (isJoining || isClosed) return;
    if (client.status !== 'ready') {
      lose(connecting ?? 'connecting');
      return;
    }
    isJoining = true;
    try {
      if (!era) await join();
      else if ((await ask()).id !== era?.id) lose('ERA');
      else for (const does of beats) await does();
    } catch (error) {
      lose(reasonOf(error));
    } finally {
      isJoining = false;
    }
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

  return {
    get state() {
      return era ? 'up' : 'down';
    },
    get era() {
      return era;
    },
    run: (script, keys, args, onLate) =>
      era
        ? runIn(era.id)(script, keys, args, onLate)
        : Promise.reject(new RedisUnavailable('down')),
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

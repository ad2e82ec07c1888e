import type { Redis } from 'ioredis';
import { openRedis } from './client.ts';
import { askInfo, type RedisInfo } from './info.ts';
import { eraKeptMs } from './lifetimes.ts';
import { namePrefix } from './names.ts';
import { type Script, scriptCommands } from './scripts.ts';
import { RedisUnavailable, reasonOf, within } from './unavailable.ts';

/** A part of a key's name, of an answer, or a number. */
export type Argument = string | number | Buffer;

interface LinkOptions {
  /** May hold a password. */
  readonly url: string;
  /** How long each command may take, in milliseconds. */
  readonly timeoutMs: number;
  /** How long to wait between two attempts to connect, in milliseconds. */
  readonly retryMs: number;
  readonly onReady: () => void;
  readonly onLost: (reason: string) => void;
}

const eraName = `${namePrefix}era`;
/** The least time that a socket may leave a command unanswered before another one is opened, in milliseconds. */
const leastSilenceMs = 5000;

/** Sends commands to one Redis, over one socket at a time. While Redis cannot be reached, it keeps trying. */
export const openLink = ({ url, timeoutMs, retryMs, onReady, onLost }: LinkOptions) => {
  const silenceMs = Math.max(leastSilenceMs, timeoutMs);
  const client: Redis = openRedis(url, {
    scripts: scriptCommands,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    retryStrategy: () => retryMs,
    sentinelRetryStrategy: () => retryMs,
    connectTimeout: silenceMs,
    sentinelCommandTimeout: silenceMs,
    socketTimeout: silenceMs,
  });
  const openedAt = performance.now();
  let wasReady = false;
  /** Why the last attempt to connect failed. */
  let failure: string | undefined;
  client.on('error', (error: unknown) => {
    failure = reasonOf(error);
  });
  client.on('close', () => onLost(failure ?? 'closed'));
  client.on('ready', () => {
    wasReady = true;
    failure = undefined;
    onReady();
  });

  return {
    /** Whether the first attempt to connect is still under way. */
    get isOpening() {
      return !wasReady && failure === undefined && performance.now() < openedAt + silenceMs;
    },
    /** Rejects with `RedisUnavailable`, also if the gateway cannot use this Redis. */
    info: async (): Promise<RedisInfo> => {
      if (client.status !== 'ready') throw new RedisUnavailable(failure ?? 'connecting');
      const info = await askInfo(client, timeoutMs);
      if (info.fault !== undefined) throw new RedisUnavailable(info.fault);
      return info;
    },
    /**
     * Runs a script in an era; '' stands for any era. Texts in replies are buffers. Rejects with `RedisUnavailable`.
     */
    send: (
      script: Script,
      era: string,
      keys: readonly string[],
      args: readonly Argument[],
    ): Promise<unknown> => {
      const all = [eraName, ...keys];
      const reply = client[`${script}Buffer`](all.length, ...all, era, eraKeptMs, ...args);
      return within(reply, timeoutMs);
    },
    /** Opens another socket. */
    reopen: (reason: string): void => {
      if (client.status !== 'ready') return;
      failure = reason;
      client.disconnect(true);
    },
    close: (): void => client.disconnect(),
  };
};

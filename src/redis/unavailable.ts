/** Redis does not answer, or has lost its data. The message has no address. */
export class RedisUnavailable extends Error {
  /**
   * A code of Node or the first word of a Redis error, such as `ECONNREFUSED`, `timeout`, `WRONGPASS` or `NOPERM hset`.
   */
  readonly reason: string;

  constructor(reason: string) {
    super(`Redis is unavailable: ${reason}`);
    this.name = 'RedisUnavailable';
    this.reason = reason;
  }
}

/** Like the promise, but resolves with undefined if Redis is out of reach. */
export const orNothing = async <Value>(asked: Promise<Value>): Promise<Value | undefined> => {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RedisUnavailable) return undefined;
    throw error;
  }
};

/** What Redis puts before the error of a command in a script; before version 7 with the script's name. */
const inScript = /^ERR (?:Error running script .*@user_script: ?\d+: -?)?(?=[A-Z]{2,}\b)/;

/** In an error of Redis or of `begin.lua`: the command that the user may not run; `keys` if it may not use our keys. */
const refusedCommand = /^NOPERM ([a-z|]+)(?= script:|$)|'([a-z|]+)' command/;

/** A code of Node, or the first word of a Redis error. It holds no secret. */
export const reasonOf = (error: unknown): string => {
  if (error instanceof RedisUnavailable) return error.reason;
  if (!(error instanceof Error)) return typeof error;
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error.message.startsWith('ERR DB index')) return 'DATABASE';
  const message = error.message.replace(inScript, '');
  // Redis' errors begin with a word in capitals; other messages may quote secrets.
  const word = /^[A-Z]{2,}\b/.exec(message)?.[0];
  if (word === 'NOPERM') {
    const [, ...commands] = refusedCommand.exec(message) ?? [];
    return `NOPERM ${commands.find((command) => command !== undefined) ?? 'keys'}`;
  }
  if (!message.startsWith('All sentinels are unreachable')) return word ?? error.name;
  return ['SENTINELS', ...(/(?<=Last error: )[A-Z]{2,}\b/.exec(message) ?? [])].join(' ');
};

const refusals: Readonly<Record<string, string>> = {
  WRONGPASS: 'refuses the user or the password',
  NOAUTH: 'asks for a password',
  SENTINELS: 'cannot be reached: no sentinel answers and knows this master',
  DATABASE: 'has no database of this number',
  CLUSTER: 'is a cluster, which the gateway does not support',
  READONLY: 'is a replica, which takes no writes',
};

/** Completes a sentence about a Redis that answers, but refuses the gateway for this reason. */
export const describeRefusal = (reason: string): string | undefined => {
  const [word = '', command = ''] = reason.split(' ');
  if (word !== 'NOPERM') return refusals[word];
  return command === 'keys'
    ? 'does not let this user use keys that begin with {sluice}:'
    : `does not let this user run ${command}`;
};

/**
 * Waits for a reply for at most some milliseconds. A reply that has arrived by then counts, even if this process was
 * too busy to read it in time.
 */
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

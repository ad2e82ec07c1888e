import { Command, Redis } from 'ioredis';

/** A reply of Redis, byte for byte. */
export type Reply = string | number | Buffer | null | readonly Reply[];
type Words = readonly (string | Buffer)[];

/** Sends commands one after another over a new connection, and returns their replies. */
export const sendCommands = async (
  port: number,
  password: string | undefined,
  commands: readonly Words[],
): Promise<readonly Reply[]> => {
  const client = new Redis({
    ...{ port, lazyConnect: true, enableReadyCheck: false, maxRetriesPerRequest: 0, protocol: 2 },
    ...{ retryStrategy: () => null, ...(password !== undefined && { password }) },
  });
  let failure: Error | undefined;
  client.on('error', (error: Error) => {
    failure = error;
  });
  try {
    await client.connect();
    const replies: Reply[] = [];
    for (const [name = '', ...words] of commands) {
      const command = new Command(String(name), [...words], { replyEncoding: null });
      replies.push((await client.sendCommand(command)) as Reply);
    }
    return replies;
  } catch (error) {
    if (error instanceof Error && error.name === 'ReplyError') {
      throw new Error(`Redis says: ${error.message}`);
    }
    throw failure ?? error;
  } finally {
    client.disconnect();
  }
};

/** The command that reads the whole value of a key, for each type. */
const reading: Readonly<Record<string, (name: Buffer) => Words>> = {
  string: (name) => ['GET', name],
  hash: (name) => ['HGETALL', name],
  list: (name) => ['LRANGE', name, '0', '-1'],
  set: (name) => ['SMEMBERS', name],
  zset: (name) => ['ZRANGE', name, '0', '-1', 'WITHSCORES'],
};

/** A key, byte for byte. */
export interface DumpedKey {
  readonly name: Buffer;
  /** Fields, members, scores and values, in the order of Redis. */
  readonly values: readonly Buffer[];
  /** Milliseconds until it expires; -1 if it never expires. */
  readonly expiresIn: number;
}

const buffersIn = (reply: Reply | undefined): readonly Buffer[] => {
  if (Array.isArray(reply)) return reply.flatMap(buffersIn);
  return Buffer.isBuffer(reply) ? [reply] : [];
};

/** Every key of database 0, except keys that expire meanwhile. */
export const dumpKeys = async (
  port: number,
  password: string | undefined,
): Promise<readonly DumpedKey[]> => {
  const send = (...commands: readonly Words[]) => sendCommands(port, password, commands);
  const names = buffersIn(await send(['KEYS', '*']));
  const types = (await send(...names.map((name) => ['TYPE', name]))).map(String);
  const kept = names.filter((_, index) => types[index] !== 'none');
  const commands = kept.flatMap((name) => {
    const read = reading[types[names.indexOf(name)] ?? ''];
    if (!read) throw new Error(`no way to read ${name}`);
    return [read(name), ['PTTL', name]];
  });
  const replies = await send(...commands);
  return kept.map((name, index) => ({
    ...{ name, values: buffersIn(replies[2 * index]) },
    expiresIn: Number(replies[2 * index + 1]),
  }));
};

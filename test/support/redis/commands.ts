import { connect } from 'node:net';

/** What Redis answers: a status or an error is text, everything else keeps its bytes. */
export type Reply = string | number | Buffer | null | readonly Reply[];

interface Parsed {
  readonly reply: Reply;
  readonly end: number;
}

/** Reads one reply of RESP 2 that begins at `start`, or nothing where some of it is still to come. */
const parse = (bytes: Buffer, start: number): Parsed | undefined => {
  const lineEnd = bytes.indexOf('\r\n', start);
  if (lineEnd === -1) return undefined;
  const line = bytes.toString('latin1', start + 1, lineEnd);
  const next = lineEnd + 2;
  const kind = String.fromCharCode(bytes[start] ?? 0);
  if (kind === '-') throw new Error(`Redis says: ${line}`);
  if (kind === '+') return { reply: line, end: next };
  const size = Number(line);
  if (kind === ':') return { reply: size, end: next };
  if (size === -1) return { reply: null, end: next };
  if (kind === '$') {
    const end = next + size + 2;
    return bytes.length < end ? undefined : { reply: bytes.subarray(next, end - 2), end };
  }
  const items: Reply[] = [];
  let end = next;
  while (items.length < size) {
    const item = parse(bytes, end);
    if (item === undefined) return undefined;
    items.push(item.reply);
    end = item.end;
  }
  return { reply: items, end };
};

/** Sends commands one after the other over a connection of their own, and gives their replies. */
export const sendCommands = async (
  port: number,
  password: string | undefined,
  commands: readonly (readonly (string | Buffer)[])[],
): Promise<readonly Reply[]> => {
  const all = password === undefined ? commands : [['AUTH', password], ...commands];
  const socket = connect(port, '127.0.0.1');
  for (const command of all) {
    socket.write(`*${command.length}\r\n`);
    for (const part of command) {
      socket.write(`$${Buffer.byteLength(part)}\r\n`);
      socket.write(part);
      socket.write('\r\n');
    }
  }
  const replies: Reply[] = [];
  let bytes = Buffer.alloc(0);
  for await (const chunk of socket) {
    bytes = Buffer.concat([bytes, chunk]);
    for (let found = parse(bytes, 0); found !== undefined; found = parse(bytes, 0)) {
      replies.push(found.reply);
      bytes = bytes.subarray(found.end);
      if (bytes.length === 0) break;
    }
    if (replies.length === all.length) break;
  }
  if (replies.length < all.length) throw new Error('Redis closed the connection');
  return password === undefined ? replies : replies.slice(1);
};

/** How everything in a key of each type is read. */
const reading: Readonly<Record<string, (name: Buffer) => readonly (string | Buffer)[]>> = {
  string: (name) => ['GET', name],
  hash: (name) => ['HGETALL', name],
  list: (name) => ['LRANGE', name, '0', '-1'],
  set: (name) => ['SMEMBERS', name],
  zset: (name) => ['ZRANGE', name, '0', '-1', 'WITHSCORES'],
  stream: (name) => ['XRANGE', name, '-', '+'],
};

/** A key with all its bytes. */
export interface DumpedKey {
  readonly name: Buffer;
  /** `string`, `hash`, `list`, `set`, `zset` or `stream`. */
  readonly type: string;
  /** Fields, members, scores and values, in the order in which Redis gives them. */
  readonly values: readonly Buffer[];
  /** Milliseconds that the key has left; -1 where it stays for ever. */
  readonly expiresIn: number;
}

const buffersIn = (reply: Reply): readonly Buffer[] => {
  if (Array.isArray(reply)) return reply.flatMap(buffersIn);
  return reply === null ? [] : [Buffer.isBuffer(reply) ? reply : Buffer.from(String(reply))];
};

/** Every key of database 0. One that expires meanwhile is left out. */
export const dumpKeys = async (
  port: number,
  password: string | undefined,
): Promise<readonly DumpedKey[]> => {
  const send = async (command: readonly (string | Buffer)[]): Promise<Reply> => {
    const [reply = null] = await sendCommands(port, password, [command]);
    return reply;
  };
  const keys: DumpedKey[] = [];
  for (const name of buffersIn(await send(['KEYS', '*']))) {
    const type = String(await send(['TYPE', name]));
    if (type === 'none') continue;
    const read = reading[type];
    if (!read) throw new Error(`no way to read a key of type ${type}`);
    const values = buffersIn(await send(read(name)));
    keys.push({ name, type, values, expiresIn: Number(await send(['PTTL', name])) });
  }
  return keys;
};

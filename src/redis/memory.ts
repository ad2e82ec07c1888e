import { randomUUID } from 'node:crypto';
import type {
  Change,
  Look,
  ReadName,
  SharedAnswer,
  SharedMemory,
  Wanted,
} from '../upstream/reads/shared-memory.ts';
import { orNothing, type RedisConnection } from './connection.ts';
import { createReadNames, type ReadNames } from './memory-names.ts';
import { hasScript, keepScript, lookScript, releaseScript } from './memory-scripts.ts';
import type { Names } from './names.ts';
import type { Seal } from './seal.ts';
import { createUntold } from './untold.ts';

interface MemoryOptions {
  readonly connection: RedisConnection;
  readonly names: Names;
  readonly seal: Seal;
}

/** Larger bodies are not shared. */
const largestBody = 1024 * 1024;
/** How old an answer may be while other processes may have unreported changes, in milliseconds. */
const doubtfulMs = 3000;
/** How long a process stays noted as the reader if it neither keeps an answer nor releases the read, in milliseconds. */
const readingMs = 30_000;

const textOf = (value: unknown): string => (Buffer.isBuffer(value) ? value.toString() : '');

/** The context of a seal: the answer opens only for the same path, marks and times. */
const contextOf = (
  { entry }: ReadNames,
  path: string,
  ...kept: readonly [marks: string, sentAt: string, readAt: string]
): string => JSON.stringify([entry, path, ...kept]);

/** Whether the change stands for a refused credential, and so concerns all its reads. */
const isRefusal = ({ paths }: Change): boolean => paths.some(({ path }) => path === '');

const lineBreak = Buffer.from('\n');
const packed = ({ contentType, body }: SharedAnswer): Buffer =>
  Buffer.concat([Buffer.from(contentType), lineBreak, body]);
const unpacked = (text: Buffer): Pick<SharedAnswer, 'contentType' | 'body'> => {
  // A header's value has no line break.
  const end = text.indexOf(lineBreak);
  return { contentType: text.toString('utf8', 0, end), body: text.subarray(end + 1) };
};

/** The reads that replicas share over Redis, encrypted so that nobody can read them without the credential. */
export const createRedisMemory = ({
  connection,
  seal,
  ...options
}: MemoryOptions): SharedMemory => {
  const processId = randomUUID();
  const names = createReadNames(options.names);
  const untold = createUntold(connection, names.lost);

  const open = (
    { credential, path }: ReadName,
    of: ReadNames,
    marks: string,
    found: readonly unknown[],
  ): SharedAnswer | undefined => {
    const [sentAt = '', readAt = ''] = found.map(textOf);
    const sealed = found[2];
    if (!Buffer.isBuffer(sealed)) return undefined;
    const context = contextOf(of, path, marks, sentAt, readAt);
    const text = seal.open(credential, context, sealed);
    return (
      text && {
        ...unpacked(text),
        sentAt: connection.fromRedis(Number(sentAt)),
        readAt: connection.fromRedis(Number(readAt)),
        marks,
      }
    );
  };

  /** The reads to release, by the names of their readers. All reads of one turn are released together. */
  const releasing = new Set<string>();

  const ask = async (read: ReadName, { own, ...wanted }: Wanted): Promise<Look> => {
    const of = names.of(read);
    releasing.delete(of.reader);
    const reply = await connection.run(
      lookScript,
      [of.entry, of.reader, ...of.changes, ...of.uncertain],
      [
        ...[of.changes.length, Math.max(0, connection.toRedis(wanted.readAfter)), wanted.freshMs],
        ...[own?.marks ?? '', own ? connection.toRedis(own.sentAt) : 0],
        ...[own ? connection.toRedis(own.readAt) : 0, processId, readingMs],
        wanted.begunMs,
      ],
    );
    const [found, uncertainMs, reader, kept] = Array.isArray(reply) ? reply : [];
    const marks = textOf(found);
    const readBy = textOf(reader);
    const answer = open(read, of, marks, Array.isArray(kept) ? kept : []);
    const { readAt = Infinity } = answer ?? own ?? {};
    const now = performance.now();
    const isDoubtful = now - readAt > doubtfulMs;
    return {
      marks,
      uncertainMs: Math.max(Number(uncertainMs), isDoubtful ? connection.doubtfulUntil - now : 0),
      found: answer,
      reader: readBy === '' ? undefined : readBy === processId ? 'this' : 'another',
    };
  };

  /** Names of the era: after a jump of the clock the expiry times of an older shelf are wrong. */
  const inEra = (names: readonly string[]): readonly string[] => {
    const { id = '' } = connection.era ?? {};
    return names.map((name) => `${name}:${id}`);
  };

  const releaseAll = (): void => {
    if (releasing.size === 0) return;
    void orNothing(connection.run(releaseScript, [...releasing], [processId]));
    releasing.clear();
  };
  const release = (read: ReadName): void => {
    if (releasing.size === 0) setImmediate(releaseAll);
    releasing.add(names.readerOf(read));
  };

  const keep = async (read: ReadName, answer: SharedAnswer): Promise<void> => {
    const of = names.of(read);
    const { marks } = answer;
    const sentAt = String(connection.toRedis(answer.sentAt));
    const readAt = String(connection.toRedis(answer.readAt));
    const context = contextOf(of, read.path, marks, sentAt, readAt);
    const isTooLarge = answer.body.length > largestBody;
    const sealed = isTooLarge ? '' : seal.close(read.credential, context, packed(answer));
    await connection.run(
      keepScript,
      [of.entry, of.reader, ...inEra(of.shelf), ...of.changes, ...of.uncertain],
      [of.changes.length, processId, marks, sentAt, readAt, sealed, ...inEra(of.held)],
    );
  };

  const lookOnce = async (read: ReadName, wanted: Wanted): Promise<Look | undefined> => {
    if (!connection.era) return undefined;
    // Changes that Redis does not know yet are reported before the question.
    const telling = untold.isEmpty ? undefined : untold.tellAll(connection.run);
    const [look] = (await orNothing(Promise.all([ask(read, wanted), telling]))) ?? [];
    return look;
  };

  return {
    look: async (read, wanted) => {
      const look = await lookOnce(read, wanted);
      if (look) return look;
      // After one slow command, or a new era, Redis may answer again at once.
      return (await connection.rejoined()) ? lookOnce(read, wanted) : undefined;
    },
    keep: (read, answer) => void orNothing(keep(read, answer)),
    release,
    tell: async (change) => {
      if (isRefusal(change)) {
        const held = inEra(names.heldOf(change));
        const has = await orNothing(connection.run(hasScript, held, []));
        // Invented credentials are refused too, and must not fill Redis.
        if (has === 0) return;
      }
      await untold.tell(names.changedBy(change));
    },
  };
};

import { randomUUID } from 'node:crypto';
import type {
  Change,
  Look,
  ReadName,
  SharedAnswer,
  SharedMemory,
  Wanted,
} from '../upstream/reads/shared-memory.ts';
import type { RedisConnection } from './connection.ts';
import { answersKeptMs, marksKeptMs, uncertainMs } from './lifetimes.ts';
import { createReadNames, type ReadNames } from './memory-names.ts';
import { createMemoryRoom } from './memory-room.ts';
import { type Names, ofEra } from './names.ts';
import { createPendingChanges } from './pending-changes.ts';
import type { Seal } from './seal.ts';
import { orNothing } from './unavailable.ts';

interface MemoryOptions {
  readonly connection: RedisConnection;
  readonly names: Names;
  readonly seal: Seal;
}

/** The largest body that is shared, in bytes. */
const largestBody = 1024 * 1024;
/** The bytes that a kept answer takes in Redis besides its text. */
const bytesBeside = 1000;
/** How long a process counts as the reader if it neither keeps an answer nor releases the read, in milliseconds. */
const readingMs = 30_000;

/** How long nothing that is read counts while Redis is in an era that this process has not joined, in milliseconds. */
const joiningMs = 1000;
/**
 * How far in the future a time of another process may be by Redis' clock, in milliseconds, before it counts as wrong.
 */
const toleranceMs = 1000;

const textOf = (value: unknown): string => (Buffer.isBuffer(value) ? value.toString() : '');

/** The context of a seal: the answer can be opened only with the same path, marks and times. */
const contextOf = (
  { entry }: ReadNames,
  path: string,
  ...kept: readonly [marks: string, sentAt: string, readAt: string]
): string => JSON.stringify([entry, path, ...kept]);

/** Whether the change stands for a refused credential, and so for all reads of the credential. */
const isRefusal = ({ paths }: Change): boolean => paths.some(({ path }) => path === '');

const lineBreak = Buffer.from('\n');
const packed = ({ contentType, body }: SharedAnswer): Buffer =>
  Buffer.concat([Buffer.from(contentType), lineBreak, body]);
const unpacked = (text: Buffer): Pick<SharedAnswer, 'contentType' | 'body'> => {
  // A header's value has no line break.
  const end = text.indexOf(lineBreak);
  return { contentType: text.toString('utf8', 0, end), body: text.subarray(end + 1) };
};

/** The reads that replicas share over Redis, encrypted: without the credential nobody can read them. */
export const createRedisMemory = ({
  connection,
  seal,
  ...options
}: MemoryOptions): SharedMemory => {
  const processId = randomUUID();
  const names = createReadNames(options.names);
  const pending = createPendingChanges(connection, names.lost);
  const room = createMemoryRoom(() => connection.info);

  const open = (
    { credential, path }: ReadName,
    of: ReadNames,
    marks: string,
    found: readonly unknown[],
  ): SharedAnswer | undefined => {
    const [sentAt = '', readAt = ''] = found.map(textOf);
    const sealed = found[2];
    if (!Buffer.isBuffer(sealed)) return undefined;
    const times = [sentAt, readAt].map((each) => connection.fromRedis(Number(each)));
    // Redis' clock was set back or forward after these times, and this process has not noticed it yet.
    if (times.some((each) => each > performance.now() + toleranceMs)) return undefined;
    const context = contextOf(of, path, marks, sentAt, readAt);
    const text = seal.open(credential, context, sealed);
    const [sentHere = 0, readHere = 0] = times;
    return text && { ...unpacked(text), sentAt: sentHere, readAt: readHere, marks };
  };

  const ask = async (read: ReadName, { own, ...wanted }: Wanted): Promise<Look> => {
    const of = names.of(read);
    const reply = await connection.run(
      'look',
      [of.entry, of.reader, ...of.changes, ...of.uncertain],
      [
        ...[of.changes.length, uncertainMs, answersKeptMs],
        ...[Math.max(0, connection.toRedis(wanted.readAfter)), wanted.freshMs],
        ...[own?.marks ?? '', own ? connection.toRedis(own.sentAt) : 0],
        ...[own ? connection.toRedis(own.readAt) : 0, processId, readingMs],
        wanted.begunMs,
      ],
    );
    const [found, leftMs, reader, kept] = Array.isArray(reply) ? reply : [];
    const marks = textOf(found);
    const readBy = textOf(reader);
    const answer = open(read, of, marks, Array.isArray(kept) ? kept : []);
    return {
      marks,
      uncertainMs: Number(leftMs),
      isDoubtful: performance.now() < connection.doubtfulUntil,
      found: answer,
      reader: readBy === '' ? undefined : readBy === processId ? 'this' : 'another',
    };
  };

  const keep = async (read: ReadName, answer: SharedAnswer): Promise<void> => {
    const { era } = connection;
    if (!era) return;
    const of = names.of(read);
    const { marks } = answer;
    const sentAt = String(connection.toRedis(answer.sentAt));
    const readAt = String(connection.toRedis(answer.readAt));
    const context = contextOf(of, read.path, marks, sentAt, readAt);
    const hasRoom = answer.body.length <= largestBody && room.take(answer.body.length);
    const sealed = hasRoom ? seal.close(read.credential, context, packed(answer)) : '';
    await connection.run(
      'keep',
      [of.entry, of.reader, ...ofEra(of.shelf, era), ...of.changes, ...of.uncertain],
      [
        ...[of.changes.length, uncertainMs, processId, marks, sentAt, readAt, sealed],
        ...[answersKeptMs, marksKeptMs, bytesBeside, room.largestShare],
        ...ofEra(of.held, era),
      ],
    );
  };

  const lookOnce = async (read: ReadName, wanted: Wanted): Promise<Look | undefined> => {
    if (!connection.era) return undefined;
    // Changes that Redis does not know must be announced before it is asked.
    const announcing = pending.isEmpty ? undefined : pending.announceAll();
    const [look] = (await orNothing(Promise.all([ask(read, wanted), announcing]))) ?? [];
    return look;
  };

  return {
    look: async (read, wanted) => {
      const first = await lookOnce(read, wanted);
      if (first) return first;
      // After one slow command, or in a new era, Redis may answer at once.
      const second = (await connection.rejoined()) ? await lookOnce(read, wanted) : undefined;
      if (second || !connection.answers) return second;
      // Redis has lost its data, perhaps more than once: answers that were read before may be older than a change that
      // it lost. Random marks equal no others.
      return {
        ...{ marks: randomUUID(), uncertainMs: joiningMs, isDoubtful: false },
        ...{ found: undefined, reader: undefined },
      };
    },
    keep: (read, answer) => void orNothing(keep(read, answer)),
    release: (read) =>
      void orNothing(connection.run('release', [names.readerOf(read)], [processId])),
    tell: async (change) => {
      if (isRefusal(change) && connection.era) {
        const held = ofEra(names.heldOf(change), connection.era);
        const has = await orNothing(connection.run('held', held, []));
        // Upstreams refuse invented credentials too, and these must not fill Redis.
        if (has === 0) return;
      }
      await pending.announce(names.changedBy(change));
    },
  };
};

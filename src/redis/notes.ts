import { randomUUID } from 'node:crypto';
import type { RedisConnection } from './connection.ts';
import type { Names } from './names.ts';
import { orNothing } from './unavailable.ts';

/**
 * Notes that replicas share: each is made by one process. The promises never reject.
 *
 * @param kind the kind of the notes, which is readable in Redis; their texts are not
 */
export const createRedisNotes = (
  connection: Pick<RedisConnection, 'run'>,
  names: Names,
  kind: string,
) => {
  const processId = randomUUID();
  // Of two secrets the first one alone: ids of plans are signed with it, so no process with another first secret takes them.
  const nameOf = (text: string) => names.namesOf(kind, text).slice(0, 1);
  return {
    /** Whether this process has made the note; undefined while Redis is out of reach. */
    make: async (text: string, keptMs: number): Promise<boolean | undefined> => {
      const made = await orNothing(connection.run('note', nameOf(text), [processId, keptMs]));
      return made === undefined ? undefined : made === 1;
    },
    /** Takes a note of this process back. */
    remove: async (text: string): Promise<void> => {
      await orNothing(connection.run('release', nameOf(text), [processId]));
    },
  };
};

export type RedisNotes = ReturnType<typeof createRedisNotes>;

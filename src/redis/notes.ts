import { randomUUID } from 'node:crypto';
import type { RedisConnection } from './connection.ts';
import type { Names } from './names.ts';
import { orNothing } from './unavailable.ts';

/** Notes that replicas share: each is made by one process. The promises never reject. */
export interface RedisNotes {
  /** Whether this process has made the note; undefined while Redis is out of reach. */
  make(text: string, keptMs: number): Promise<boolean | undefined>;
  /** Takes a note of this process back. */
  remove(text: string): Promise<void>;
}

/** @param kind the kind of the notes, which is readable in Redis; their texts are not */
export const createRedisNotes = (
  connection: Pick<RedisConnection, 'run'>,
  names: Names,
  kind: string,
): RedisNotes => {
  const processId = randomUUID();
  // While CACHE_SECRET is being changed: what a note is about is known only where the first secret is the same.
  const nameOf = (text: string) => names.namesOf(kind, text).slice(0, 1);
  return {
    make: async (text, keptMs) => {
      const made = await orNothing(connection.run('note', nameOf(text), [processId, keptMs]));
      return made === undefined ? undefined : made === 1;
    },
    remove: async (text) => {
      await orNothing(connection.run('release', nameOf(text), [processId]));
    },
  };
};

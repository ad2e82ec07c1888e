import { createHmac, createSecretKey, hkdfSync } from 'node:crypto';

/** The start of all names in Redis. Braces keep the names in one slot of a Redis cluster. */
export const namePrefix = '{sluice}:';

/**
 * The format of kept answers: of an entry's fields, of its sealed text, and of the marks that are compared with it.
 *
 * During a rollout, and after a rollback, several versions of the gateway use one Redis. They must share all calls and
 * changes, but not the answers:
 * - If you change anything of kept answers, raise this number. Then no version reads answers of another version.
 * - Only add to all other names and values: keep the names and what earlier versions read, and let the scripts skip
 *   members that they do not know. `test/full/replicas/upgrades.test.ts` runs the last release beside the present code.
 */
export const answersFormat = '2';

/**
 * Makes a name in Redis: the same in all replicas. Nobody can read the parts in it.
 *
 * @param kind the kind of the value, which is readable in the name
 */
type NameOf = (kind: string, ...parts: readonly string[]) => string;

/**
 * The names of one deployment. While `CACHE_SECRET` is being changed, some processes have both the new and the old
 * secret, and others have only one of them.
 */
export interface Names {
  /** For answers: only processes with the same setting share them. */
  readonly nameOf: NameOf;
  /** For calls and changes: all processes share them, under one name for each secret. */
  readonly namesOf: (...name: Parameters<NameOf>) => readonly string[];
}

const createNameOf = (secret: string): NameOf => {
  // A key object: with a buffer as its key an HMAC takes six times as long, and a read needs some twenty names.
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'sluice names', 32)));
  return (kind, ...parts) => {
    // JSON, so that different parts never give the same text.
    const text = JSON.stringify([kind, ...parts]);
    return `${namePrefix}${kind}:${createHmac('sha256', key).update(text).digest('base64url')}`;
  };
};

/** @param cacheSecret the secret that all replicas share, or the new and the old secret with a comma in between */
export const createNames = (cacheSecret: string): Names => {
  const each = cacheSecret.split(',').map(createNameOf);
  return {
    nameOf: createNameOf(cacheSecret),
    namesOf: (...name) => each.map((nameOf) => nameOf(...name)),
  };
};

/**
 * The names of values that hold times or depend on times. Each era has new names: an era ends when Redis' clock is set
 * back, and then the earlier times are wrong.
 */
export const ofEra = (names: readonly string[], { id }: { readonly id: string }) =>
  names.map((name) => `${name}:${id}`);

import { createHmac, createSecretKey, hkdfSync } from 'node:crypto';

/** The start of all names in Redis. Braces keep the names in one slot of a Redis cluster. */
export const namePrefix = '{sluice}:';

/**
 * The format of kept answers: of an entry's fields, of its sealed text, and of the marks that are compared with it.
 *
 * During a rollout, and after it is taken back, several versions of the gateway use one Redis. They have to share all calls
 * and changes, but not the answers:
 * - Whoever changes anything of kept answers raises this number. Then no version reads the answers of another one.
 * - All other names and values only grow: keep the names and what earlier versions read, and let the scripts pass over members
 *   that they do not know. `test/full/replicas/upgrades.test.ts` runs the last release beside the present code.
 */
export const answersFormat = '2';

/**
 * Makes a name in Redis: the same in all replicas, and nobody can read the parts from it.
 *
 * @param kind the kind of the value, which stays readable in the name
 */
type NameOf = (kind: string, ...parts: readonly string[]) => string;

/** While `CACHE_SECRET` is changed, some processes have the new and the old secret, and others only one of the two. */
export interface Names {
  /** For answers, which only processes with the same setting share. */
  readonly nameOf: NameOf;
  /** For calls and changes, which all processes share: a name for each secret. */
  readonly namesOf: (...name: Parameters<NameOf>) => readonly string[];
}

const createNameOf = (secret: string): NameOf => {
  // Each read needs some twenty names, and an HMAC with a plain buffer as its key takes six times as long.
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'sluice names', 32)));
  return (kind, ...parts) => {
    // JSON, so that different parts never give the same text.
    const text = JSON.stringify([kind, ...parts]);
    return `${namePrefix}${kind}:${createHmac('sha256', key).update(text).digest('base64url')}`;
  };
};

/** @param cacheSecret the secret that all replicas share, or the new and the old one with a comma in between */
export const createNames = (cacheSecret: string): Names => {
  const each = cacheSecret.split(',').map(createNameOf);
  return {
    nameOf: createNameOf(cacheSecret),
    namesOf: (...name) => each.map((nameOf) => nameOf(...name)),
  };
};

/**
 * The names of values with times, or of what depends on them. Each era has new ones: an era ends when Redis' clock is set back,
 * and the earlier times are wrong then.
 */
export const ofEra = (names: readonly string[], { id }: { readonly id: string }) =>
  names.map((name) => `${name}:${id}`);

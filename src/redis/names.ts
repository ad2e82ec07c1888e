import { createHmac, createSecretKey, hkdfSync } from 'node:crypto';
import { namePrefix } from './connection.ts';

/**
 * Makes a name in Redis: the same in all replicas, and nobody can read the parts from it.
 *
 * @param kind the kind of the value, which stays readable in the name
 */
export type NameOf = (kind: string, ...parts: readonly string[]) => string;

/** @param cacheSecret the secret that all replicas share */
export const createNames = (cacheSecret: string): NameOf => {
  // Each read needs some twenty names, and an HMAC with a plain buffer as its key takes six times as long.
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', cacheSecret, '', 'sluice names', 32)));
  return (kind, ...parts) => {
    // JSON, so that different parts never give the same text.
    const text = JSON.stringify([kind, ...parts]);
    return `${namePrefix}${kind}:${createHmac('sha256', key).update(text).digest('base64url')}`;
  };
};

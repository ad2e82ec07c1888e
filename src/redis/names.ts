import { createHmac, createSecretKey, hkdfSync } from 'node:crypto';
import { namePrefix } from './connection.ts';

/**
 * The name of something in Redis: the same in all replicas, and nothing that it is made of can be read from it.
 *
 * @param kind what it names, in the clear
 */
export type NameOf = (kind: string, ...parts: readonly string[]) => string;

/** @param cacheSecret what all replicas have in common */
export const createNames = (cacheSecret: string): NameOf => {
  // Each read needs some twenty names, and an HMAC with a key of bytes takes six times as long.
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', cacheSecret, '', 'sluice names', 32)));
  return (kind, ...parts) => {
    // As JSON, since no other parts give the same text.
    const text = JSON.stringify([kind, ...parts]);
    return `${namePrefix}${kind}:${createHmac('sha256', key).update(text).digest('base64url')}`;
  };
};

import { createHmac, createSecretKey, randomBytes } from 'node:crypto';

const schemeAndToken = /^(\S+) +(\S+)$/;
const base64 = /^[\w+/-]+={0,2}$/;

/**
 * Gives equal texts for the spellings of one credential: the scheme in any case, any number of blanks behind it, and
 * base64 with or without padding or the URL's alphabet. Limits count by this, or one caller could count as several, and
 * answers are shared by it. So a text of another form stays as it is: decoded as base64, two secrets could be equal.
 */
export const credentialIdentity = (credential: string): string => {
  const [, scheme, token] = schemeAndToken.exec(credential) ?? [];
  if (scheme === undefined || token === undefined) return credential;
  const name = scheme.toLowerCase();
  const isEncoded = name === 'basic' && base64.test(token);
  return `${name} ${isEncoded ? Buffer.from(token, 'base64').toString('base64') : token}`;
};

/** As a key object, since Node makes one of bytes for every HMAC, which takes longer than the HMAC. */
const key = createSecretKey(randomBytes(32));

/** Tells texts apart without holding them. Good for the life of this process alone. */
export const fingerprint = (text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url');

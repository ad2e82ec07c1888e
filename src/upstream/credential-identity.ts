import { createHmac, createSecretKey, randomBytes } from 'node:crypto';

const schemeAndToken = /^(\S+) +(\S+)$/;
const base64 = /^[\w+/-]+={0,2}$/;

/**
 * Gives equal texts for all spellings of one credential: the scheme in any case, any number of blanks after it, and
 * base64 in either alphabet, with or without padding. Limits go by this text, or one caller could count as several.
 * Answers are shared by it, so any other form stays as it is: decoded as base64, two different secrets could be equal.
 */
export const credentialIdentity = (credential: string): string => {
  const [, scheme, token] = schemeAndToken.exec(credential) ?? [];
  if (scheme === undefined || token === undefined) return credential;
  const name = scheme.toLowerCase();
  const isEncoded = name === 'basic' && base64.test(token);
  return `${name} ${isEncoded ? Buffer.from(token, 'base64').toString('base64') : token}`;
};

/** A key object: from plain bytes Node makes one for every HMAC, which takes longer than the HMAC. */
const key = createSecretKey(randomBytes(32));

/** A text that stands for another without revealing it. Valid only in this process. */
export const fingerprint = (text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url');

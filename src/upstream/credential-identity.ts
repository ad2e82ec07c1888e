import { createHmac, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';
import type { Credential } from './call.ts';

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
const fingerprint = (text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url');

export type Given = Extract<Credential, { readonly kind: 'given' }>;

/** By the credential object of a request: computed once for each request, and dropped with it. */
const holders = new WeakMap<Given, string>();

/** A fingerprint of a credential, equal for all its spellings: most code needs no more than this. */
export const holderOf = (credential: Given): string => {
  const known = holders.get(credential);
  if (known !== undefined) return known;
  const holder = fingerprint(credentialIdentity(credential.value));
  holders.set(credential, holder);
  return holder;
};

const shownLength = 12;

/**
 * Makes the fingerprints of credentials that the log shows: equal for all spellings of one, and of no use to find it.
 *
 * @param secret the secret of the deployment; without one, a fingerprint is valid only in this process
 */
export const createShownFingerprint = (
  secret: string | Buffer = randomBytes(32),
): ((credential: string) => string) => {
  const own = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'sluice log', 32)));
  return (credential) =>
    createHmac('sha256', own)
      .update(credentialIdentity(credential))
      .digest('base64url')
      .slice(0, shownLength);
};

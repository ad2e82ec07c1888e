import { createHmac, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';
import type { Credential } from './call.ts';

const schemeAndToken = /^(\S+) +(\S+)$/;
const base64 = /^[\w+/-]+={0,2}$/;

/**
 * Gives equal texts for all spellings of one credential: the scheme in any case, any number of blanks after it, and
 * base64 in either alphabet, with or without padding. Limits go by this text; otherwise one caller could count as
 * several. Answers are shared by it too, so no other form is decoded: two different secrets could become equal.
 */
export const credentialIdentity = (credential: string): string => {
  const [, scheme, token] = schemeAndToken.exec(credential) ?? [];
  if (scheme === undefined || token === undefined) return credential;
  const name = scheme.toLowerCase();
  const isEncoded = name === 'basic' && base64.test(token);
  return `${name} ${isEncoded ? Buffer.from(token, 'base64').toString('base64') : token}`;
};

/** A key object, since Node would make one from plain bytes for every HMAC, which takes longer than the HMAC. */
const key = createSecretKey(randomBytes(32));

/** A text that stands for another without revealing it. It is valid only in this process. */
const fingerprint = (text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url');

export type Given = Extract<Credential, { readonly kind: 'given' }>;

/** By the credential object of a request: a fingerprint is computed once for each request, and forgotten with it. */
const holders = new WeakMap<Given, string>();

/** A fingerprint of a credential, equal for all spellings of it. Most code needs nothing else of a credential. */
export const holderOf = (credential: Given): string => {
  const known = holders.get(credential);
  if (known !== undefined) return known;
  const holder = fingerprint(credentialIdentity(credential.value));
  holders.set(credential, holder);
  return holder;
};

/**
 * The secret of the deployment. While it is being replaced, all replicas have only the first one in common.
 *
 * @param secrets the setting `CACHE_SECRET`
 */
export const deploymentSecretOf = (secrets: string | undefined): string | undefined =>
  secrets?.split(',')[0];

/**
 * Makes a function that signs texts for the holder of credentials. Nothing is stored for it, and every gateway of the
 * deployment makes the same one.
 *
 * @param purpose signatures for one purpose are worth nothing for another
 * @param deployment the secret of the deployment; without it, every gateway makes the same one, and who sees a signature can
 * try whether a credential that can be guessed is the right one
 */
export const createSigner = (
  credentials: readonly Credential[],
  purpose: string,
  deployment = '',
): ((text: string) => string) => {
  const identities = credentials.map((credential) =>
    credential.kind === 'given' ? credentialIdentity(credential.value) : null,
  );
  const secret = JSON.stringify(identities);
  const own = createSecretKey(
    Buffer.from(hkdfSync('sha256', secret, deployment, `sluice ${purpose}`, 32)),
  );
  return (text) => createHmac('sha256', own).update(text).digest('base64url');
};

const shownLength = 12;

/**
 * Makes the fingerprints of credentials that the log shows: equal for all spellings of a credential, and useless for
 * finding it.
 *
 * @param secret the secret of the deployment; without it, a fingerprint is valid only in this process
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

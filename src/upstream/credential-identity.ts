import { createHmac, randomBytes } from 'node:crypto';

const schemeAndToken = /^(\S+) +(\S+)$/;

/**
 * Gives equal texts for the spellings of one credential: the scheme in any case, any number of blanks behind it, and
 * base64 with or without padding or the URL's alphabet. Limits for each credential count by this, or one caller could
 * count as several. Nothing is sent or shared by it. A text of another form stays as it is.
 */
export const credentialIdentity = (credential: string): string => {
  const [, scheme, token] = schemeAndToken.exec(credential) ?? [];
  if (scheme === undefined || token === undefined) return credential;
  const name = scheme.toLowerCase();
  // Behind the padding decoders read nothing, or refuse the text.
  return `${name} ${name === 'basic' ? Buffer.from(token, 'base64').toString('base64') : token}`;
};

const key = randomBytes(32);

/** Tells texts apart without holding them. Good for the life of this process alone. */
export const fingerprint = (text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url');

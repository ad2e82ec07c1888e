import type { Credential } from './call.ts';
import { credentialIdentity, fingerprint } from './credential-identity.ts';

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

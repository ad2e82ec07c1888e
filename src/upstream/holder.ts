import type { Credential } from './call.ts';
import { credentialIdentity, fingerprint } from './credential-identity.ts';

export type Given = Extract<Credential, { readonly kind: 'given' }>;

/** By the object that a request has for its credential: made once a request, and gone with it. */
const holders = new WeakMap<Given, string>();

/** Stands for a credential, whatever way it is spelt, where holding it is not needed. */
export const holderOf = (credential: Given): string => {
  const known = holders.get(credential);
  if (known !== undefined) return known;
  const holder = fingerprint(credentialIdentity(credential.value));
  holders.set(credential, holder);
  return holder;
};

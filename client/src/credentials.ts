/**
 * The value of a header, such as the result of `basic` or `bearer`, or a function that returns the value and is called for
 * each request. Without a value, the header is not sent.
 */
export type Credential = CredentialValue | (() => CredentialValue | Promise<CredentialValue>);

/** A header's value, or nothing. */
export type CredentialValue = string | null | undefined;

/**
 * The value of `Management-Authorization` for an API key.
 *
 * @throws TypeError if the key's id contains a colon, which HTTP Basic cannot carry.
 */
export const basic = (keyId: string, keySecret: string): string => {
  if (keyId.includes(':')) throw new TypeError('The id of a key must not hold a colon');
  const bytes = new TextEncoder().encode(`${keyId}:${keySecret}`);
  return `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}`;
};

/** The value of `Observability-Authorization` for a token. */
export const bearer = (token: string): string => `Bearer ${token}`;

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts answers for Redis, so that only a request with the same credential can read them. */
export interface Seal {
  /** @param context a text that is stored unencrypted beside the answer: the seal opens only with the same context */
  close(credential: string, context: string, text: Buffer): Buffer;
  /** Undefined if the text was sealed with another credential or context, or has been changed. */
  open(credential: string, context: string, sealed: Buffer): Buffer | undefined;
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** @param cacheSecret the secret that all replicas share */
export const createSeal = (cacheSecret: string): Seal => {
  const keyOf = (credential: string): Buffer =>
    Buffer.from(hkdfSync('sha256', credential, cacheSecret, 'sluice read', 32));
  return {
    close: (credential, context, text) => {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, keyOf(credential), nonce);
      cipher.setAAD(Buffer.from(context));
      const closed = Buffer.concat([cipher.update(text), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), closed]);
    },
    open: (credential, context, sealed) => {
      if (sealed.length < nonceBytes + tagBytes) return undefined;
      const nonce = sealed.subarray(0, nonceBytes);
      const decipher = createDecipheriv(algorithm, keyOf(credential), nonce, {
        authTagLength: tagBytes,
      });
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
      try {
        const text = decipher.update(sealed.subarray(nonceBytes + tagBytes));
        return Buffer.concat([text, decipher.final()]);
      } catch {
        // Node throws if the tag is wrong.
        return undefined;
      }
    },
  };
};

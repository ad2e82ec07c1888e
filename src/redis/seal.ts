import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts what is put into Redis, so that only who brings the same credential can read it. */
export interface Seal {
  /** @param context what the text is kept with, in the clear: it cannot be opened with any other */
  close(credential: string, context: string, text: Buffer): Buffer;
  /** Undefined where it was not closed with that credential and context, or was changed. */
  open(credential: string, context: string, sealed: Buffer): Buffer | undefined;
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** @param cacheSecret what all replicas have in common */
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
        // Node's one way to say that the tag does not fit.
        return undefined;
      }
    },
  };
};

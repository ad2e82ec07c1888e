import { randomFillSync } from 'node:crypto';

/** 128 bits, as many as a trace's identifier has. */
const idBytes = 16;

const random = Buffer.allocUnsafeSlow(256 * idBytes);
let used = random.length;

/**
 * An identifier that nobody else has, in 32 hexadecimal digits. Node's `randomUUID` puts one together of twenty
 * pieces, which V8 has to join once it goes out as a header.
 */
export const createId = (): string => {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  used += idBytes;
  return random.toString('hex', used - idBytes, used);
};

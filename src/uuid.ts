import { randomFillSync } from 'node:crypto';

const bytesOfOne = 16;
const random = Buffer.allocUnsafeSlow(256 * bytesOfOne);
let used = random.length;

const digits = Buffer.from('0123456789abcdef');
const text = Buffer.from('00000000-0000-4000-8000-000000000000');
/** Where the two digits of each byte stand in the text. */
const places = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;

const digitOf = (value: number): number => digits[value & 0xf] ?? 0;

/**
 * A UUID of version 4 (RFC 9562), in one piece. Node's `randomUUID` puts it together of twenty, which V8 has to join
 * once it goes out as a header.
 */
export const createUuid = (): string => {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  for (let index = 0; index < bytesOfOne; index += 1) {
    const byte = random[used + index] ?? 0;
    const at = places[index] ?? 0;
    // Six bits tell the version and the variant.
    const high = index === 6 ? 0x4 : index === 8 ? 0x8 | ((byte >> 4) & 0x3) : byte >> 4;
    text[at] = digitOf(high);
    text[at + 1] = digitOf(byte);
  }
  used += bytesOfOne;
  return text.toString('latin1');
};

import { broken, type Reader } from '../../rules.ts';

/** An identifier: 24 hexadecimal digits. */
export const objectId: Reader<string> = (value, at) => {
  if (typeof value !== 'string' || !/^[0-9a-f]{24}$/i.test(value)) {
    throw broken(at, 'must be an identifier of 24 hexadecimal digits');
  }
  return value;
};

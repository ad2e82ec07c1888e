import { createHash } from 'node:crypto';

/** Identifiers and secrets of new objects: unique within a sandbox, and the same in every run of the same calls. */
export type Sequence = {
  /** A UUID of version 4's form. */
  readonly uuid: () => string;
  /** 24 hexadecimal digits. */
  readonly objectId: () => string;
  /** `prefix-` and 16 hexadecimal digits. */
  readonly word: (prefix: string) => string;
};

/** Starts a sequence. Two sequences with the same seed give the same values in the same order. */
export const createSequence = (seed: string): Sequence => {
  let count = 0;
  const next = (): string => {
    count += 1;
    return createHash('sha256').update(`${seed} ${count}`).digest('hex');
  };
  return {
    uuid: () => {
      const hex = next();
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
    },
    objectId: () => next().slice(0, 24),
    word: (prefix) => `${prefix}-${next().slice(0, 16)}`,
  };
};

import type { ServerResponse } from 'node:http';

/** Counts response bytes that wait until clients read them. */
export interface Unsent {
  /** Counts the unsent bytes of a response until it ends. */
  watch(res: ServerResponse): void;
  /** Whether too many bytes wait, so that no operation may begin. */
  isFull(): boolean;
  /** Whether half as many bytes wait, so that no tool gets an answer: tools that read slowly must not stop operations. */
  isHalfFull(): boolean;
}

/** Counts the bytes of all responses that have not been handed to the operating system. */
export const createUnsent = (mostBytes: number): Unsent => {
  const responses = new Set<ServerResponse>();
  const isOver = (most: number): boolean => {
    let bytes = 0;
    for (const { writableLength } of responses) bytes += writableLength;
    return bytes > most;
  };
  return {
    watch: (res) => {
      responses.add(res);
      res.once('close', () => responses.delete(res));
    },
    isFull: () => isOver(mostBytes),
    isHalfFull: () => isOver(mostBytes / 2),
  };
};

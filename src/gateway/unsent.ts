import type { ServerResponse } from 'node:http';

/** Counts response bytes that wait until clients read them. */
export interface Unsent {
  /** Counts the unsent bytes of a response until it ends. */
  watch(res: ServerResponse): void;
  /** Whether too many bytes wait, so that no operation may begin. */
  isFull(): boolean;
}

/** Counts the bytes of all responses that have not been handed to the operating system. */
export const createUnsent = (mostBytes: number): Unsent => {
  const responses = new Set<ServerResponse>();
  return {
    watch: (res) => {
      responses.add(res);
      res.once('close', () => responses.delete(res));
    },
    isFull: () => {
      let bytes = 0;
      for (const { writableLength } of responses) bytes += writableLength;
      return bytes > mostBytes;
    },
  };
};

import type { ServerResponse } from 'node:http';

/** What has been answered and waits for clients to read it. */
export interface Unsent {
  /** Counts what of a response is not sent, until it is over. */
  watch(res: ServerResponse): void;
  /** Whether so much waits that no operation is to begin. */
  isFull(): boolean;
}

/** Counts the bytes of all responses that are not handed to the operating system yet. */
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

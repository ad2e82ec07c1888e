import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';

/** Where whole lines of a log go, as bytes. */
export interface LogTarget {
  /** Takes what it can from the start, at once or in its own time: so many bytes, or an error as of `fs.write`. */
  write(lines: Uint8Array, done: (error: unknown, taken: number) => void): void;
  /** The same at once. Throws as `fs.writeSync` does. */
  writeNow(lines: Uint8Array): number;
}

/**
 * So many bytes stay together in a pipe (Linux's PIPE_BUF) or in a stream's socket, whoever else writes to it. Of more
 * than that a pipe takes a part where it has no room for all, and what another process writes then lies in between.
 */
const undividedBytes = 4096;

const newline = 0x0a;

/** As many of the lines as stay together; a line that is too long to, alone. */
export const linesTogether = (lines: Uint8Array): Uint8Array => {
  if (lines.length <= undividedBytes) return lines;
  const last = lines.lastIndexOf(newline, undividedBytes - 1);
  const end = last < 0 ? lines.indexOf(newline) : last;
  return end < 0 ? lines : lines.subarray(0, end + 1);
};

/**
 * A pipe as this process alone has it opened, so that it never blocks: other processes that were given the same one, a
 * worker too, make theirs blocking as they start or end.
 */
const openPipe = (fd: number): number | undefined => {
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // Not Linux, or another user's pipe: it is written as it is.
    return undefined;
  }
};

/** Written by the thread that answers, which it never keeps: handing over so little to another costs more. */
const createPipeTarget = (fd: number): LogTarget => {
  const writeNow = (lines: Uint8Array): number => writeSync(fd, linesTogether(lines));
  return {
    writeNow,
    write: (lines, done) => {
      let taken: number;
      try {
        taken = writeNow(lines);
      } catch (error) {
        done(error, 0);
        return;
      }
      done(null, taken);
    },
  };
};

/** Written by another thread, since it may block: a disk may take its time. */
const createSlowTarget = (
  fd: number,
  piece: (lines: Uint8Array) => Uint8Array = (lines) => lines,
): LogTarget => ({
  write: (lines, done) => write(fd, piece(lines), done),
  writeNow: (lines) => writeSync(fd, piece(lines)),
});

/** A file descriptor, whose lines stay whole where other processes write to the same one. */
export const openLogTarget = (fd: number): LogTarget => {
  const stat = fstatSync(fd);
  const own = stat.isFIFO() ? openPipe(fd) : undefined;
  if (own !== undefined) return createPipeTarget(own);
  return stat.isFIFO() || stat.isSocket()
    ? createSlowTarget(fd, linesTogether)
    : createSlowTarget(fd);
};

import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';

export const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/** Where whole lines of a log go, as bytes. */
export interface LogTarget {
  /**
   * Takes what it can from the start, at once or in its own time: so many bytes, or an error as of `fs.write`, which is
   * EPIPE once nobody is going to read it any more.
   */
  write(lines: Uint8Array, done: (error: unknown, taken: number) => void): void;
  /** The same at once, and throws such an error. */
  writeNow(lines: Uint8Array): number;
}

/**
 * So many bytes stay together in a pipe (Linux's PIPE_BUF) or a Unix socket, whoever else writes to it. Of more
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

type Stream = NodeJS.WriteStream & {
  readonly fd: number;
  /** Node says nowhere else that a stream is not to block. */
  readonly _handle?: { readonly setBlocking?: (blocking: boolean) => unknown };
};

/**
 * A pipe or a terminal as this process alone has it opened, so that it never blocks: other processes that were given the
 * same one, a worker too, make theirs blocking as they start or end.
 */
const openAnew = (fd: number): number | undefined => {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    return openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    // Not Linux, or another user's.
    return undefined;
  }
};

/** Written by the thread that answers, which it never keeps: handing over so little to another costs more. */
const createQuickTarget = (writeNow: LogTarget['writeNow']): LogTarget => ({
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
});

/** Written by another thread, since a disk may take its time. */
const createSlowTarget = (fd: number): LogTarget => ({
  write: (lines, done) => write(fd, lines, done),
  writeNow: (lines) => writeSync(fd, lines),
});

/** What cannot be opened anew, and others may have made blocking since the last time; Node puts that back as it ends. */
const createSharedTarget = ({ fd, _handle }: Stream): LogTarget =>
  createQuickTarget((lines) => {
    _handle?.setBlocking?.(false);
    return writeSync(fd, linesTogether(lines));
  });

/** What a terminal fails with once it is closed. */
const withoutTerminal = (error: unknown): unknown =>
  codeOf(error) === 'EIO'
    ? Object.assign(new Error('The terminal is closed'), { code: 'EPIPE' })
    : error;

const createTerminalTarget = (stream: Stream): LogTarget => {
  const own = openAnew(stream.fd);
  const target =
    own === undefined
      ? createSharedTarget(stream)
      : createQuickTarget((lines) => writeSync(own, lines));
  return {
    write: (lines, done) =>
      target.write(lines, (error, taken) => done(withoutTerminal(error), taken)),
    writeNow: (lines) => {
      try {
        return target.writeNow(lines);
      } catch (error) {
        throw withoutTerminal(error);
      }
    },
  };
};

/** A standard stream of this process, whose lines stay whole where others write to the same one. */
export const openLogTarget = (stream: Stream): LogTarget => {
  const { fd } = stream;
  if (stream.isTTY) return createTerminalTarget(stream);
  const stat = fstatSync(fd);
  if (!stat.isFIFO() && !stat.isSocket()) return createSlowTarget(fd);
  const own = stat.isFIFO() ? openAnew(fd) : undefined;
  return own === undefined
    ? createSharedTarget(stream)
    : createQuickTarget((lines) => writeSync(own, linesTogether(lines)));
};

import type { DestinationStream } from 'pino';

/** Writes bytes at once, and gives how many were taken. Throws as `fs.writeSync` does. */
export type WriteBytes = (bytes: Uint8Array) => number;

export interface LogOutput extends DestinationStream {
  /** To be called as the process ends: waits for a slow reader, but not for long. */
  end(): void;
}

/** So many characters of lines are written at a time, or what there is after so many milliseconds. */
const batchLength = 65_536;
const batchMs = 200;

/** Characters that may wait to be written; lines that come then are lost. */
const maxWaiting = 16 * 1024 * 1024;

/** Milliseconds until a slow reader is tried again. A pipe holds 64 KB, so that one who keeps up gets 13 MB a second. */
const retryMs = 5;
/** The same for what may last, such as a full disk. */
const retryFailureMs = 200;
/** How long the end of the process is put off. */
const endMs = 1000;

const warning = 40;

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

class Output implements LogOutput {
  readonly #writeBytes: WriteBytes;
  #lines = '';
  /** What has not been taken yet of the lines before. */
  #rest: Uint8Array | undefined;
  #lost = 0;
  #retry: NodeJS.Timeout | undefined;
  /** Nobody is ever going to read it. */
  #closed = false;

  constructor(writeBytes: WriteBytes) {
    this.#writeBytes = writeBytes;
    setInterval(() => this.#retry ?? this.#pass(), batchMs).unref();
  }

  write(line: string): void {
    if (this.#closed) return;
    if (this.#lines.length + (this.#rest?.length ?? 0) >= maxWaiting) {
      this.#lost += 1;
      return;
    }
    this.#lines += line;
    if (this.#lines.length >= batchLength && !this.#retry) this.#pass();
  }

  end(): void {
    const sleeper = new Int32Array(new SharedArrayBuffer(4));
    const last = performance.now() + endMs;
    this.#pass();
    while (this.#rest && performance.now() < last) {
      Atomics.wait(sleeper, 0, 0, retryMs);
      this.#pass();
    }
  }

  /** Writes until nothing is left, or no more is taken. */
  #pass(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    for (;;) {
      const bytes = this.#rest ?? this.#takeLines();
      if (!bytes) return;
      this.#rest = bytes;
      try {
        const taken = this.#writeBytes(bytes);
        this.#rest = taken < bytes.length ? bytes.subarray(taken) : undefined;
      } catch (error) {
        this.#failed(codeOf(error));
        return;
      }
    }
  }

  /** The lines that wait; those that were lost came after them. */
  #takeLines(): Uint8Array | undefined {
    const lost = this.#lost;
    const lines =
      lost === 0
        ? this.#lines
        : `${this.#lines}{"level":${warning},"time":${Date.now()},"lines":${lost},"msg":"lines of the log were lost"}\n`;
    this.#lines = '';
    this.#lost = 0;
    return lines === '' ? undefined : Buffer.from(lines);
  }

  #failed(code: unknown): void {
    if (code === 'EPIPE') {
      this.#closed = true;
      this.#rest = undefined;
      this.#lines = '';
      return;
    }
    const delay = code === 'EAGAIN' ? retryMs : retryFailureMs;
    this.#retry = setTimeout(() => this.#pass(), delay).unref();
  }
}

/**
 * Writes the lines of a log in batches. It never fails, and never waits but at the end: what is not taken, by a slow
 * reader or a full disk, waits in memory, up to 16 MB, and is tried again. Lines beyond that are lost, and how many were
 * is said after those that waited. Once a pipe's reader has gone, nothing is written any more.
 *
 * @param writeBytes is not to block where a reader is slow, but to throw EAGAIN
 */
export const createLogOutput = (writeBytes: WriteBytes): LogOutput => new Output(writeBytes);

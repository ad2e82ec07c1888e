import type { DestinationStream } from 'pino';
import { codeOf, type LogTarget } from './log-target.ts';

export interface LogOutput extends DestinationStream {
  /** To be called as the process ends: waits for a slow reader, but not for long. */
  end(): void;
}

/** So many characters of lines are written at a time, or what there is after so many milliseconds. */
const batchLength = 65_536;
const batchMs = 200;

/** Bytes of batches that may wait to be written; lines that come then are lost. */
const maxWaiting = 16 * 1024 * 1024;

/** So many writes may come of one turn of the event loop, and the next ones after so many milliseconds. */
const maxWrites = 64;
const turnMs = 1;

/** Milliseconds until a slow reader is tried again. A pipe holds 64 KB, so that one who keeps up gets 13 MB a second. */
const retryMs = 5;
/** The same for what may last, such as a full disk. */
const retryFailureMs = 200;
/** How long the end of the process is put off. */
const endMs = 1000;

const warning = 40;

class Output implements LogOutput {
  readonly #target: LogTarget;
  readonly #readable: ((line: string) => string) | undefined;
  /** Less than a batch. */
  #lines = '';
  /** Batches, the first of which may have been written in part. */
  readonly #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #lost = 0;
  #writing = false;
  #retry: NodeJS.Timeout | undefined;
  /** Nobody is ever going to read it. */
  #closed = false;

  constructor(target: LogTarget, readable: ((line: string) => string) | undefined) {
    this.#target = target;
    this.#readable = readable;
    setInterval(() => {
      if (this.#lost > 0 && this.#waitingBytes < maxWaiting) this.#tellLost();
      // Nothing would be written sooner for being a batch of its own.
      if (this.#waiting.length === 0) this.#closeBatch();
      this.#next();
    }, batchMs).unref();
  }

  write(line: string): void {
    if (this.#closed) return;
    if (this.#waitingBytes >= maxWaiting) {
      this.#lost += 1;
      return;
    }
    if (this.#lost > 0) this.#tellLost();
    this.#add(line);
    // A person waits for each line, unless others are waiting already.
    const atOnce = this.#readable && this.#waiting.length === 0;
    if (this.#lines.length < batchLength && !atOnce) return;
    this.#closeBatch();
    this.#next();
  }

  end(): void {
    const sleeper = new Int32Array(new SharedArrayBuffer(4));
    const pause = (): void => void Atomics.wait(sleeper, 0, 0, retryMs);
    // Nobody can be told any more how much is taken of what is being written; most likely all.
    if (this.#writing) {
      pause();
      this.#taken(this.#waiting[0]?.length ?? 0);
    }
    if (this.#lost > 0) this.#tellLost();
    this.#closeBatch();
    const last = performance.now() + endMs;
    for (
      let bytes = this.#waiting[0];
      bytes && performance.now() < last;
      bytes = this.#waiting[0]
    ) {
      try {
        this.#taken(this.#target.writeNow(bytes));
      } catch (error) {
        if (codeOf(error) === 'EPIPE') return;
        pause();
      }
    }
  }

  #tellLost(): void {
    this.#add(
      `{"level":${warning},"time":${Date.now()},"pid":${process.pid},"lines":${this.#lost},"msg":"lines of the log were lost"}\n`,
    );
    this.#lost = 0;
  }

  #add(line: string): void {
    this.#lines += this.#readable ? this.#readable(line) : line;
  }

  #closeBatch(): void {
    if (this.#lines === '') return;
    const bytes = Buffer.from(this.#lines);
    this.#lines = '';
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
  }

  /** Writes what waits, one after the other, until that takes its time or is to be tried again later. */
  #next(): void {
    for (let writes = 0; !this.#writing && !this.#retry; writes += 1) {
      const [bytes] = this.#waiting;
      if (!bytes) return;
      // A reader who comes back takes megabytes, and requests are not to wait for that.
      if (writes === maxWrites) this.#nextIn(turnMs);
      else this.#start(bytes);
    }
  }

  #start(bytes: Uint8Array): void {
    let atOnce = true;
    this.#writing = true;
    this.#target.write(bytes, (error, taken) => {
      this.#writing = false;
      if (error) this.#failed(codeOf(error));
      else this.#taken(taken);
      if (!atOnce) this.#next();
    });
    atOnce = false;
  }

  #taken(count: number): void {
    const [bytes] = this.#waiting;
    if (!bytes) return;
    this.#waitingBytes -= count;
    if (count < bytes.length) this.#waiting[0] = bytes.subarray(count);
    else this.#waiting.shift();
  }

  #failed(code: unknown): void {
    if (code === 'EPIPE') {
      this.#closed = true;
      this.#lines = '';
      this.#lost = 0;
      this.#waiting.length = 0;
      return;
    }
    this.#nextIn(code === 'EAGAIN' ? retryMs : retryFailureMs);
  }

  #nextIn(milliseconds: number): void {
    const again = (): void => {
      this.#retry = undefined;
      this.#next();
    };
    this.#retry = setTimeout(again, milliseconds).unref();
  }
}

/**
 * Writes the lines of a log in batches. It never fails, and nobody waits for it but the end of the process: what is not
 * taken, by a slow reader or a full disk, waits in memory, up to 16 MB, and is tried again. Lines beyond that are lost, and
 * how many were is said in their place. Once a pipe's reader or a terminal has gone, nothing is written any more.
 *
 * @param readable makes of each line what a person reads, who gets it at once
 */
export const createLogOutput = (
  target: LogTarget,
  readable?: (line: string) => string,
): LogOutput => new Output(target, readable);

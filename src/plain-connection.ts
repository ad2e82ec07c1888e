import type { Socket } from 'node:net';
import type { Answer, AnswerPlain } from './answer-plain.ts';
import { isPlain, type PlainHead, type PlainHeads } from './plain-request.ts';
import type { Incoming } from './request.ts';

export interface PlainConnectionOptions {
  readonly heads: PlainHeads;
  readonly maxHeaderBytes: number;
  readonly maxBodyBytes: number;
  /**
   * How long a connection may lie idle between requests, in milliseconds. After as long without a first request, or without the
   * rest of one, it is handed over: node:http has settings of its own for how long these may take.
   */
  readonly idleMs: number;
  readonly answerPlain: AnswerPlain;
  /** The whole message. @param closes whether it is the last one on the connection */
  readonly printAnswer: (answer: Answer, origin: string | null, closes: boolean) => string;
  /** Whether connections are to be closed as soon as their requests are answered. */
  readonly isClosing: () => boolean;
  /**
   * Takes the connection as if all that has come on it and is not answered were yet to come.
   *
   * @param isRefused whether `answerPlain` has given up on the first request of it
   */
  readonly handOver: (socket: Socket, isRefused: boolean) => void;
  readonly onClose: (connection: PlainConnection) => void;
  /** Told of an error that leaves a request without an answer: its connection is closed. */
  readonly onFailure: (error: unknown) => void;
}

const endOfHead = Buffer.from('\r\n\r\n');

/** What node:http says of a request that ends in its midst. */
const badRequest = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n';

/** A request that has arrived whole. */
interface Whole {
  readonly head: PlainHead;
  readonly body: Buffer;
}

/** A connection for as long as nothing but plain requests comes on it, which are answered one after the other. */
export class PlainConnection {
  readonly #socket: Socket;
  readonly #options: PlainConnectionOptions;
  readonly #listeners: readonly (readonly [event: string, listener: (chunk: Buffer) => void])[];
  /** What has come and is not answered; the request that is being answered is among it. */
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** When the first of it came that waits for more, in milliseconds of `performance.now()`. */
  #since: number | undefined;
  /** The first request's head, and how many bytes the request has. */
  #head: PlainHead | undefined;
  #headBytes = 0;
  #incoming: Incoming | undefined;
  /** Whether a request is being answered, its answer is not taken yet, or it was the last one. */
  #busy = false;
  #used = false;

  constructor(socket: Socket, options: PlainConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#listeners = [
      ['data', (chunk) => this.#take(chunk)],
      ['end', () => this.#ended()],
      ['close', () => this.#closed()],
      ['timeout', () => this.#timedOut()],
      // A connection that breaks is closed already.
      ['error', () => undefined],
    ];
    for (const [event, listener] of this.#listeners) socket.on(event, listener);
    socket.setTimeout(options.idleMs);
  }

  /** Closes it if it has served and waits for its next request. */
  closeIdle(): void {
    if (this.#used && this.#isIdle() && this.#bytes === 0) this.#socket.destroy();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Whether no request is being answered, and no part of an answer waits to be taken. */
  #isIdle(): boolean {
    return !this.#busy && this.#socket.writableLength === 0;
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    // Whoever sends the next request before the answer has come is not read any further.
    if (this.#busy) this.#socket.pause();
    else this.#advance();
  }

  #advance(): void {
    if (this.#bytes === 0) return;
    const whole = this.#findWhole();
    if (whole === 'other') this.#handOver(false);
    else if (whole === 'incomplete') this.#wait();
    else if (whole !== 'nothing') this.#answer(whole);
  }

  #findWhole(): Whole | 'nothing' | 'incomplete' | 'other' {
    if (this.#head && this.#bytes < this.#headBytes + this.#head.bodyBytes) return 'incomplete';
    this.#chunks = [this.#join()];
    if (!this.#head) this.#dropLineBreaks();
    const [bytes] = this.#chunks;
    if (!bytes) return 'nothing';
    if (!this.#head) {
      const found = this.#findHead(bytes);
      if (typeof found === 'string') return found;
      this.#head = found;
    }
    const { bodyBytes } = this.#head;
    if (bytes.length < this.#headBytes + bodyBytes) return 'incomplete';
    const body = bytes.subarray(this.#headBytes, this.#headBytes + bodyBytes);
    return { head: this.#head, body };
  }

  /** Finds the head at the start of the bytes, and notes how many it has. */
  #findHead(bytes: Buffer): PlainHead | 'incomplete' | 'other' {
    const { heads, maxHeaderBytes, maxBodyBytes } = this.#options;
    const end = bytes.indexOf(endOfHead);
    if (end === -1) {
      const mayBegin = bytes.length < maxHeaderBytes && heads.mayBegin(bytes.toString('latin1'));
      return mayBegin ? 'incomplete' : 'other';
    }
    this.#headBytes = end + endOfHead.length;
    if (this.#headBytes > maxHeaderBytes) return 'other';
    const head = heads.read(bytes.toString('latin1', 0, end + 2));
    return head && isPlain(head.header) && head.bodyBytes <= maxBodyBytes ? head : 'other';
  }

  #join(): Buffer {
    const [first] = this.#chunks;
    return first && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
  }

  /** Some callers end a body with one, which belongs to no request (RFC 9112, section 2.2). */
  #dropLineBreaks(): void {
    const [bytes] = this.#chunks;
    let count = 0;
    while (bytes?.[count] === 13 && bytes[count + 1] === 10) count += 2;
    if (count > 0) this.#drop(count);
  }

  #wait(): void {
    const now = performance.now();
    this.#since ??= now;
    if (now - this.#since > this.#options.idleMs) this.#handOver(false);
  }

  #answer({ head, body }: Whole): void {
    this.#busy = true;
    this.#since = undefined;
    const { answerPlain, onFailure } = this.#options;
    answerPlain(body, head.header, (incoming) => {
      this.#incoming = incoming;
    })
      .then((answer) => {
        if (this.#socket.destroyed) return;
        if (answer) this.#write(answer, head);
        else this.#handOver(true);
      })
      .catch((error: unknown) => {
        onFailure(error);
        this.#socket.destroy();
      });
  }

  #write(answer: Answer, head: PlainHead): void {
    this.#incoming?.end();
    this.#incoming = undefined;
    this.#head = undefined;
    this.#drop(this.#headBytes + head.bodyBytes);
    const closes = head.closes || this.#options.isClosing();
    const message = this.#options.printAnswer(answer, head.header('origin'), closes);
    const isTaken = this.#socket.write(message);
    if (closes) this.#socket.destroySoon();
    else if (isTaken) this.#goOn();
    else this.#socket.once('drain', () => this.#goOn());
  }

  #goOn(): void {
    this.#busy = false;
    this.#used = true;
    this.#socket.resume();
    this.#advance();
  }

  /** Drops so many of the first chunk's bytes. What follows is copied, so that no credential stays with it. */
  #drop(count: number): void {
    const [first] = this.#chunks;
    if (first && count < first.length) this.#chunks[0] = Buffer.from(first.subarray(count));
    else this.#chunks.shift();
    this.#bytes -= count;
  }

  #handOver(isRefused: boolean): void {
    const socket = this.#socket;
    if (socket.readableEnded) {
      socket.destroy();
      return;
    }
    for (const [event, listener] of this.#listeners) socket.off(event, listener);
    socket.setTimeout(0);
    // What is put back must not be read before there is who listens.
    socket.pause();
    if (this.#bytes > 0) socket.unshift(this.#join());
    this.#options.onClose(this);
    this.#options.handOver(socket, isRefused);
    socket.resume();
  }

  /** The caller sends no more, and is taken for gone where it is owed an answer, as node:http does. */
  #ended(): void {
    if (this.#incoming) this.#socket.destroy();
    else this.#socket.end(this.#bytes > 0 && !this.#busy ? badRequest : '');
  }

  #closed(): void {
    this.#incoming?.end();
    this.#options.onClose(this);
  }

  #timedOut(): void {
    if (!this.#isIdle()) return;
    // Between two requests node:http waits no longer for a head, be it begun or not.
    if (this.#used && !this.#head) this.#socket.destroy();
    else this.#handOver(false);
  }
}

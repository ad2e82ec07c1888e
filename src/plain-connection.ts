import type { Socket } from 'node:net';
import type { Answer, AnswerPlain } from './answer-plain.ts';
import { isPlain, type PlainHead, type PlainHeads } from './plain-request.ts';
import type { Incoming } from './request.ts';

export interface PlainConnectionOptions {
  readonly heads: PlainHeads;
  readonly maxHeaderBytes: number;
  readonly maxBodyBytes: number;
  /**
   * How long a connection may lie idle between requests, in milliseconds. As long the rest of a request is waited for, and the
   * first one, before others decide about it.
   */
  readonly idleMs: number;
  readonly answerPlain: AnswerPlain;
  /** The whole message. @param closes whether it is the last one on the connection */
  readonly printAnswer: (answer: Answer, origin: string | null, closes: boolean) => string;
  /** Whether connections are to be closed as soon as their requests are answered. */
  readonly isClosing: () => boolean;
  /** Takes the connection as if all that has come on it and is not answered were yet to come. */
  readonly handOver: (socket: Socket) => void;
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
  /** Whether a request is being answered, or has been, and its answer is not taken yet. */
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
    if (this.#used && !this.#busy && this.#bytes === 0) this.#socket.destroy();
  }

  destroy(): void {
    this.#socket.destroy();
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
    if (whole === 'other') this.#handOver();
    else if (whole === 'incomplete') this.#wait();
    else this.#answer(whole);
  }

  #findWhole(): Whole | 'incomplete' | 'other' {
    if (this.#head && this.#bytes < this.#headBytes + this.#head.bodyBytes) return 'incomplete';
    const { heads, maxHeaderBytes, maxBodyBytes } = this.#options;
    const [first] = this.#chunks;
    const bytes = first && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
    this.#chunks = [bytes];
    if (!this.#head) {
      const end = bytes.indexOf(endOfHead);
      if (end === -1) {
        return bytes.length < maxHeaderBytes && heads.mayBegin(bytes) ? 'incomplete' : 'other';
      }
      const head = heads.read(bytes.toString('latin1', 0, end + 2));
      const headBytes = end + endOfHead.length;
      if (!head || !isPlain(head.header)) return 'other';
      if (headBytes > maxHeaderBytes || head.bodyBytes > maxBodyBytes) return 'other';
      this.#head = head;
      this.#headBytes = headBytes;
    }
    const { bodyBytes } = this.#head;
    if (bytes.length < this.#headBytes + bodyBytes) return 'incomplete';
    const body = bytes.subarray(this.#headBytes, this.#headBytes + bodyBytes);
    return { head: this.#head, body };
  }

  #wait(): void {
    const now = performance.now();
    this.#since ??= now;
    if (now - this.#since > this.#options.idleMs) this.#handOver();
  }

  #answer({ head, body }: Whole): void {
    this.#busy = true;
    this.#since = undefined;
    const { answerPlain, onFailure } = this.#options;
    answerPlain(body, head.header, (incoming) => {
      this.#incoming = incoming;
    }).then(
      (answer) => {
        if (this.#socket.destroyed) return;
        if (answer) this.#write(answer, head);
        else this.#handOver();
      },
      (error: unknown) => {
        onFailure(error);
        this.#socket.destroy();
      },
    );
  }

  #write(answer: Answer, head: PlainHead): void {
    this.#incoming?.end();
    this.#forget(this.#headBytes + head.bodyBytes);
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

  /** Drops the first request, credentials and all. */
  #forget(bytes: number): void {
    const [first] = this.#chunks;
    if (first && bytes < first.length) this.#chunks[0] = first.subarray(bytes);
    else this.#chunks.shift();
    this.#bytes -= bytes;
    this.#head = undefined;
    this.#incoming = undefined;
  }

  #handOver(): void {
    const socket = this.#socket;
    if (socket.readableEnded) {
      socket.destroy();
      return;
    }
    for (const [event, listener] of this.#listeners) socket.off(event, listener);
    socket.setTimeout(0);
    // What is put back must not be read before there is who listens.
    socket.pause();
    for (const chunk of this.#chunks.toReversed()) socket.unshift(chunk);
    this.#options.onClose(this);
    this.#options.handOver(socket);
    socket.resume();
  }

  /** The caller sends no more, and is taken for gone where it is owed an answer, as node:http does. */
  #ended(): void {
    if (this.#incoming) this.#socket.destroy();
    else this.#socket.end(this.#bytes > 0 ? badRequest : '');
  }

  #closed(): void {
    this.#incoming?.end();
    this.#options.onClose(this);
  }

  #timedOut(): void {
    if (this.#busy) return;
    if (this.#used && this.#bytes === 0) this.#socket.destroy();
    else this.#handOver();
  }
}

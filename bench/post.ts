import type { Dispatcher, Pool } from 'undici';

/** An answer, without its headers. */
export interface Answer {
  readonly status: number;
  readonly bytes: number;
  text(): string;
}

class AnswerHandler implements Dispatcher.DispatchHandler, Answer {
  status = 0;
  bytes = 0;
  readonly #chunks: Buffer[] = [];
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (error: Error) => void;

  constructor(resolve: (answer: Answer) => void, reject: (error: Error) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  onRequestStart(): void {}

  onResponseStart(_: Dispatcher.DispatchController, status: number): void {
    this.status = status;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytes += chunk.length;
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#resolve(this);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#reject(error);
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}

/** Sends one GraphQL request, with as little ado as undici allows. */
export const post = (pool: Pool, headers: readonly string[], body: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    pool.dispatch(
      { method: 'POST', path: '/graphql', headers: headers as string[], body },
      new AnswerHandler(resolve, reject),
    );
  });

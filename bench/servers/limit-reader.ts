import { type Dispatcher, Pool } from 'undici';
import { type Credentials, managementUrl, observabilityUrl } from './environment.ts';

/** Reads of one request: a path is read once, whoever asks. */
export interface Reader {
  management<Result>(path: string): Promise<Result>;
  observability<Result>(path: string): Promise<Result>;
}

// Fewer connections than calls under way: measured, the sockets of the rest cost more than the wait.
const options = { connections: 64 };
const managementPool = new Pool(managementUrl(), options);
const observabilityPool = new Pool(observabilityUrl(), options);

/** Collects an answer without the stream that `request` would make of it. */
class JsonHandler implements Dispatcher.DispatchHandler {
  readonly #resolve: (body: unknown) => void;
  readonly #reject: (error: Error) => void;
  #text: Buffer | undefined;
  #status = 0;

  constructor(resolve: (body: unknown) => void, reject: (error: Error) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  onRequestStart(): void {}

  onResponseStart(_: Dispatcher.DispatchController, status: number): void {
    this.#status = status;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#text = this.#text ? Buffer.concat([this.#text, chunk]) : chunk;
  }

  onResponseEnd(): void {
    if (this.#status !== 200) {
      this.#reject(new Error(`the upstream answered ${this.#status}`));
      return;
    }
    try {
      this.#resolve(JSON.parse(this.#text?.toString('utf8') ?? ''));
    } catch (error) {
      this.#reject(error as Error);
    }
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#reject(error);
  }
}

const get = (pool: Pool, path: string, authorization: string | undefined): Promise<unknown> =>
  new Promise((resolve, reject) => {
    if (authorization === undefined) throw new Error('no credential');
    const headers = ['authorization', authorization, 'accept', 'application/json'];
    pool.dispatch({ method: 'GET', path, headers }, new JsonHandler(resolve, reject));
  });

export const createReader = (credentials: Credentials): Reader => {
  const reads = new Map<string, Promise<unknown>>();
  const read = <Body>(pool: Pool, path: string, authorization: string | undefined) => {
    let held = reads.get(path);
    if (!held) {
      held = get(pool, path, authorization);
      reads.set(path, held);
    }
    // The interfaces' answers are taken at their word, as a hand-written backend takes them.
    return held as Promise<Body>;
  };
  return {
    management: async <Result>(path: string) =>
      (await read<{ result: Result }>(managementPool, path, credentials.management)).result,
    observability: async <Result>(path: string) =>
      (await read<{ data: Result }>(observabilityPool, path, credentials.observability)).data,
  };
};

import type { Credential, CredentialValue } from './credentials.ts';
import { type ClientErrorCode, SluiceError, type SluiceErrorDetails } from './error.ts';
import type { ClientOptions } from './options.ts';

/** What one request asks for. */
export interface Operation {
  /** The document and its variables as JSON. */
  readonly body: string;
  /** The media types that the answer may have. */
  readonly accept: string;
  readonly signal: AbortSignal | undefined;
}

/** An error of the client's own. */
export const failure = (
  code: ClientErrorCode,
  message: string,
  details?: SluiceErrorDetails,
): SluiceError => new SluiceError([{ message, code }], details);

/** The gateway's id of the request. */
export const idOf = (response: Response | undefined): string | undefined =>
  response?.headers.get('x-request-id') ?? undefined;

/** What came is something else, such as a proxy's page. */
export const noAnswer = (what: string, { status }: Response, requestId?: string): SluiceError =>
  failure('BAD_ANSWER', `What came is no ${what} (HTTP status ${status}).`, { status, requestId });

/** The network failed, before the answer's head or within its body. */
export const networkError = (cause: unknown, response?: Response): SluiceError => {
  const message = response ? 'The answer broke off.' : 'No answer came from the gateway.';
  const details = { cause, status: response?.status, requestId: idOf(response) };
  return failure('NETWORK_ERROR', message, details);
};

const ask = async (credential: Credential): Promise<CredentialValue> =>
  typeof credential === 'function' ? credential() : credential;

const quietly = (url: string): URL => {
  try {
    // Takes relative URLs as well. Of a scheme of its own, so that `https:user:password@host` is none.
    return new URL(url, 'wss://a');
  } catch {
    // The parser's error would quote it.
    throw new TypeError('The url is not valid');
  }
};

/** A URL that errors of `fetch`, which quote it, may show. */
const withoutCredentials = (url: string): string => {
  const { username, password, pathname } = quietly(url);
  // The path of `user:password@host` is `password@host`; any other begins with a slash.
  if (username !== '' || password !== '' || /^[^/]*@/.test(pathname))
    throw new TypeError('The url must hold no credentials');
  return url;
};

/** Waits for `work` no longer than until the signal says to stop. */
const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(signal?.reason);
    signal?.addEventListener('abort', stop);
    work.then(resolve, reject).finally(() => signal?.removeEventListener('abort', stop));
  });

/** Sends an operation; resolves with the head of its answer. */
export type Send = (operation: Operation) => Promise<Response>;

/**
 * Sends operations to one gateway, with the credentials of the time.
 *
 * @throws TypeError where `url` is none, or holds a user or a password, or `headers` cannot be sent.
 */
export const createSender = (options: ClientOptions): Send => {
  const { management, observability, fetch: send = (...call) => fetch(...call) } = options;
  const url = withoutCredentials(String(options.url));
  const fixed = new Headers(options.headers);
  fixed.set('content-type', 'application/json');

  const headersFor = async (signal: AbortSignal | undefined): Promise<Headers> => {
    const headers = new Headers(fixed);
    const given = Promise.all([ask(management), ask(observability)]);
    const values = await unlessAborted(given, signal);
    for (const [index, name] of ['Management', 'Observability'].entries()) {
      const value = values[index] ?? undefined;
      if (value === undefined) continue;
      // Errors of `Headers` would quote it.
      // A space at the end, as after a scheme with nothing behind it, would not arrive.
      if (!/^[!-~]+( +[!-~]+)*$/.test(value)) {
        const what = 'is empty, or holds characters that no header can.';
        throw failure('BAD_CREDENTIAL', `The credential for ${name}-Authorization ${what}`);
      }
      headers.set(`${name}-Authorization`, value);
    }
    return headers;
  };

  return async ({ body, accept, signal }) => {
    signal?.throwIfAborted();
    const headers = await headersFor(signal);
    headers.set('accept', accept);
    try {
      return await send(url, {
        method: 'POST',
        headers,
        body,
        credentials: 'omit',
        redirect: 'error',
        signal: signal ?? null,
      });
    } catch (cause) {
      signal?.throwIfAborted();
      throw networkError(cause);
    }
  };
};

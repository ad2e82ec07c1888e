import { codeOf } from './answer.ts';
import type { Credential, CredentialValue } from './credentials.ts';
import { type ClientErrorCode, SluiceError, type SluiceErrorDetails } from './error.ts';
import type { ClientOptions } from './options.ts';

export interface Operation {
  /** The document and its variables as JSON. */
  readonly body: string;
  /** The media types that the answer may have. */
  readonly accept: string;
  readonly signal: AbortSignal | undefined;
}

/** An error of the client itself. */
export const failure = (
  code: ClientErrorCode | 'UNAUTHENTICATED',
  message: string,
  details?: SluiceErrorDetails,
): SluiceError => new SluiceError([{ message, code }], details);

/** The gateway's id of the request. */
export const idOf = (response: Response | undefined): string | undefined =>
  response?.headers.get('x-request-id') ?? undefined;

/** The error for a response that is not an answer of the gateway, for example the page of a proxy or of a login. */
export const noAnswer = (what: string, { status }: Response, requestId?: string): SluiceError => {
  const code = codeOf(status);
  const message =
    code === 'UNAUTHENTICATED'
      ? 'The login in front of the gateway refused this.'
      : `The response is not a valid ${what} (HTTP status ${status}).`;
  return failure(code, message, { status, requestId });
};

/** The error for a connection that failed before the head of the answer, or within its body. */
export const networkError = (cause: unknown, response?: Response): SluiceError => {
  const message = response ? 'The answer broke off.' : 'No answer came from the gateway.';
  const details = { cause, status: response?.status, requestId: idOf(response) };
  return failure('NETWORK_ERROR', message, details);
};

const ask = async (credential: Credential): Promise<CredentialValue> =>
  typeof credential === 'function' ? credential() : credential;

const quietly = (url: string): URL => {
  try {
    // Also resolves relative URLs. The base has another scheme, so that `https:user:password@host` is invalid.
    return new URL(url, 'wss://a');
  } catch {
    // The parser's error would quote the URL.
    throw new TypeError('The url is not valid');
  }
};

/** The URL. Refuses credentials in it, because errors of `fetch` would quote them. */
const withoutCredentials = (url: string): string => {
  const { username, password, pathname } = quietly(url);
  // `user:password@host` parses with the path `password@host`; every other path begins with a slash.
  if (username !== '' || password !== '' || /^[^/]*@/.test(pathname))
    throw new TypeError('The url must hold no credentials');
  return url;
};

/** Waits for `work` until the signal aborts. */
const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(signal?.reason);
    signal?.addEventListener('abort', stop);
    work.then(resolve, reject).finally(() => signal?.removeEventListener('abort', stop));
  });

/** Sends an operation; resolves when the head of its answer has arrived. */
export type Send = (operation: Operation) => Promise<Response>;

/**
 * Sends operations to one gateway with the current credentials.
 *
 * @throws TypeError if `url` is invalid, or contains a user or a password, or `headers` cannot be sent.
 */
export const createSender = (options: ClientOptions): Send => {
  const { management, observability, fetch: send = (...call) => fetch(...call) } = options;
  const url = withoutCredentials(String(options.url));
  const { headers: further = {}, credentials = 'omit' } = options;
  // Throws at once for headers that cannot be sent.
  if (typeof further !== 'function') new Headers(further);

  const headersFor = async (signal: AbortSignal | undefined): Promise<Headers> => {
    const own = typeof further === 'function' ? further() : further;
    const given = Promise.all([own, ask(management), ask(observability)]);
    const [others, ...values] = await unlessAborted(given, signal);
    const headers = new Headers(others);
    headers.set('content-type', 'application/json');
    for (const [index, name] of ['Management', 'Observability'].entries()) {
      const value = values[index] ?? undefined;
      if (value === undefined) continue;
      // Checked here because errors of `Headers` would quote the value. A space at the end is refused, since HTTP would drop
      // it; it is left by a scheme with an empty credential.
      if (!/^[!-~]+( +[!-~]+)*$/.test(value)) {
        const what = 'is empty, or has characters that headers cannot carry.';
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
        credentials,
        redirect: 'error',
        signal: signal ?? null,
      });
    } catch (cause) {
      signal?.throwIfAborted();
      throw networkError(cause);
    }
  };
};

import { readBody } from './answer.ts';
import type { Credential, CredentialValue } from './credentials.ts';
import type { TypedDocumentString } from './document.ts';
import {
  type ClientErrorCode,
  SluiceError,
  type SluiceErrorDetails,
  type SluiceProblem,
} from './error.ts';

/** Where the gateway is, and what goes to it with each request. */
export interface ClientOptions {
  /** The gateway's endpoint, such as `https://api.example/graphql`; in a browser also `/graphql`. */
  readonly url: string | URL;
  /** Sent as `Management-Authorization`. */
  readonly management?: Credential;
  /** Sent as `Observability-Authorization`. */
  readonly observability?: Credential;
  /** Further headers, such as `traceparent`; read once. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Used instead of the platform's own. */
  readonly fetch?: typeof fetch;
}

/** What holds for one request alone. */
export interface RequestOptions {
  /** Gives the request up, which then rejects with the signal's own reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What comes after the document: its variables, which may be left out where none is required. */
export type Arguments<Variables> =
  Record<string, never> extends Variables
    ? readonly [variables?: Variables, options?: RequestOptions]
    : readonly [variables: Variables, options?: RequestOptions];

/** An answer of the gateway. */
export interface Answer<Data> {
  /** With errors: null for what failed, or null as a whole. */
  readonly data: Data | null;
  /** Empty where all went well. */
  readonly errors: readonly SluiceProblem[];
  /** What the gateway adds, such as its upstream calls where `Sluice-Explain: 1` was sent. */
  readonly extensions: Readonly<Record<string, unknown>> | undefined;
  /** The gateway's id of the request. */
  readonly requestId: string | undefined;
  /** HTTP status. */
  readonly status: number;
}

/** Sends documents to one gateway; a plain string, whose types nobody knows, is none. */
export interface Client {
  /**
   * The data of an answer.
   *
   * @throws SluiceError where the answer has errors, and where `execute` has no answer to give.
   * @throws unknown the signal's reason, or what a function that gives a credential throws.
   */
  readonly request: <Data, Variables>(
    document: TypedDocumentString<Data, Variables> & object,
    ...rest: Arguments<NoInfer<Variables>>
  ) => Promise<Data>;
  /**
   * An answer with its errors beside what data there is.
   *
   * @throws SluiceError where no GraphQL answer came, or a credential cannot be sent.
   * @throws unknown the signal's reason, or what a function that gives a credential throws.
   */
  readonly execute: <Data, Variables>(
    document: TypedDocumentString<Data, Variables> & object,
    ...rest: Arguments<NoInfer<Variables>>
  ) => Promise<Answer<Data>>;
}

const failure = (
  code: ClientErrorCode,
  message: string,
  details?: SluiceErrorDetails,
): SluiceError => new SluiceError([{ message, code }], details);

const ask = async (credential: Credential): Promise<CredentialValue> =>
  typeof credential === 'function' ? credential() : credential;

const idOf = (response: Response | undefined): string | undefined =>
  response?.headers.get('x-request-id') ?? undefined;

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

/**
 * A client, which keeps nothing of what it sends and receives, and sends credentials to `url` alone.
 *
 * @throws TypeError where `url` is none, or holds a user or a password, or `headers` cannot be sent.
 */
export const createClient = (options: ClientOptions): Client => {
  const { management, observability, fetch: send = (...call) => fetch(...call) } = options;
  const url = withoutCredentials(String(options.url));
  const fixed = new Headers(options.headers);
  fixed.set('content-type', 'application/json');
  fixed.set('accept', 'application/graphql-response+json, application/json');

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

  const execute = async <Data, Variables>(
    document: TypedDocumentString<Data, Variables>,
    ...[variables, { signal } = {}]: Arguments<Variables>
  ): Promise<Answer<Data>> => {
    signal?.throwIfAborted();
    const body = JSON.stringify({ query: document, variables });
    const headers = await headersFor(signal);
    let response: Response | undefined;
    let text: string;
    try {
      response = await send(url, {
        method: 'POST',
        headers,
        body,
        credentials: 'omit',
        redirect: 'error',
        signal: signal ?? null,
      });
      text = await response.text();
    } catch (cause) {
      signal?.throwIfAborted();
      const message = response ? 'The answer broke off.' : 'No answer came from the gateway.';
      const details = { cause, status: response?.status, requestId: idOf(response) };
      throw failure('NETWORK_ERROR', message, details);
    }
    const { status } = response;
    const read = readBody(text);
    const requestId = idOf(response) ?? read?.errors[0]?.requestId;
    if (!read) {
      throw failure('BAD_ANSWER', `What came is no GraphQL answer (HTTP status ${status}).`, {
        status,
        requestId,
      });
    }
    return { ...read, data: read.data as Data | null, requestId, status };
  };

  return {
    execute,
    request: async (document, ...rest) => {
      const { data, errors, requestId, status } = await execute(document, ...rest);
      const [first, ...others] = errors;
      if (first) throw new SluiceError([first, ...others], { data, requestId, status });
      // Without errors there is data: `readBody` takes no other answer.
      return data as Exclude<typeof data, null>;
    },
  };
};

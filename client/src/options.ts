import type { Credential } from './credentials.ts';
import type { SluiceError } from './error.ts';

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

/** What holds for one subscription alone, or for one query that is asked again. */
export interface SubscribeOptions extends RequestOptions {
  /**
   * Called when a connection has failed or ended and the client is about to try again in so many milliseconds. `why` is
   * undefined where the gateway ended a stream without an error.
   */
  readonly onRetry?: ((why: SluiceError | undefined, milliseconds: number) => void) | undefined;
}

/** What comes after the document: its variables, which may be left out where none is required. */
export type Arguments<Variables, Options = RequestOptions> =
  Record<string, never> extends Variables
    ? readonly [variables?: Variables, options?: Options]
    : readonly [variables: Variables, options?: Options];

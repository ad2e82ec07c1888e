import type { Credential } from './credentials.ts';
import type { SluiceError } from './error.ts';

type FurtherHeaders = Readonly<Record<string, string>>;

/** The gateway's address, and the data for each request. */
export interface ClientOptions {
  /** The gateway's endpoint, such as `https://api.example/graphql`; in a browser also `/graphql`. */
  readonly url: string | URL;
  /** Sent as `Management-Authorization`. */
  readonly management?: Credential;
  /** Sent as `Observability-Authorization`. */
  readonly observability?: Credential;
  /** Further headers, such as `traceparent`, or a function that gives them for each request. */
  readonly headers?: FurtherHeaders | (() => FurtherHeaders | Promise<FurtherHeaders>);
  /** Whether cookies are sent, as in `fetch`, for a login proxy in front of the gateway. By default none are. */
  readonly credentials?: 'include' | 'omit' | 'same-origin';
  /** Used instead of the platform's `fetch`. */
  readonly fetch?: typeof fetch;
}

/** Options for one request. */
export interface RequestOptions {
  /** Cancels the request, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Options for one subscription, or for one query that is sent again. */
export interface SubscribeOptions extends RequestOptions {
  /**
   * Called when a connection has failed or ended, with the time until the next try. `why` is undefined if the gateway ended a
   * stream without an error.
   */
  readonly onRetry?: ((why: SluiceError | undefined, milliseconds: number) => void) | undefined;
}

/** The arguments after the document: its variables, which may be omitted if none is required. */
export type Arguments<Variables, Options = RequestOptions> =
  Record<string, never> extends Variables
    ? readonly [variables?: Variables, options?: Options]
    : readonly [variables: Variables, options?: Options];

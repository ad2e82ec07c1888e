import './preload.js';
import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { isObject } from './is-object.ts';
import type { GatewayPlugin } from './plugins/plugin.ts';

export type { GatewayPlugin, ServerContext } from './plugins/plugin.ts';

export interface GatewayOptions {
  /**
   * The settings, by the names of the environment variables: `process.env`, or an object such as
   * `{ MANAGEMENT_URL: 'https://…', OBSERVABILITY_URL: 'https://…' }`. `PORT` and `KEEP_ALIVE_MS` have no effect; `HOST`
   * is the address of the only port that is opened here, `METRICS_PORT`. `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are
   * read from here, too.
   */
  readonly settings: Readonly<Record<string, string | undefined>>;
  /** Where the log goes; by default to standard output, as `LOG_FORMAT` says. */
  readonly log?: Logger;
  /** Plugins of Yoga, which run after the gateway's own, on every operation of every client. */
  readonly plugins?: readonly GatewayPlugin[];
}

export interface Gateway {
  /**
   * Answers `/graphql`, GraphiQL's files below it, `/mcp`, `/healthz` and `/readyz`; any other path with 404, and `/`
   * with a redirect to GraphiQL.
   */
  readonly handler: RequestListener;
  /**
   * Ends subscriptions, lets requests under way finish, and closes the connections to the upstreams and Redis. Close
   * your server first, so that no new request comes; do not wait for it, since it waits for the subscriptions.
   */
  close(): Promise<void>;
}

const noSettings =
  'createGateway must get { settings }: process.env, or an object with MANAGEMENT_URL and OBSERVABILITY_URL.';

/**
 * The gateway as a handler for your own server, which has to limit connections, headers and slow clients itself. Give
 * the server `joinDuplicateHeaders: true`, so that a request with two credentials is refused.
 *
 * If `METRICS_PORT` is set, metrics are served there. Spans go to the OpenTelemetry SDK that has been started, if any.
 *
 * @returns the gateway, once it is known whether Redis answers
 * @throws Error with a sentence for missing settings, for each faulty one, or for a Redis Cluster; Node's error if the
 * metrics port is not free
 */
export const createGateway = async (options: GatewayOptions): Promise<Gateway> => {
  const given: unknown = options;
  if (!isObject(given) || !isObject(given.settings)) throw new TypeError(noSettings);
  // Loaded only after the version check: a Node that is too old cannot load it, and would not say why.
  const { openGateway } = await import('./gateway/embedded.ts');
  return openGateway(options);
};

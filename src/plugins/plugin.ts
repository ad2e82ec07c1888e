import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Plugin } from 'graphql-yoga';

/** Node's request and response, which hooks of plugins get in addition to Yoga's request. */
export type ServerContext = {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** The request target as it came; `req.url` is made fit for Yoga. */
  readonly target: string;
};

/** A plugin of Yoga on Node's HTTP server. */
export type GatewayPlugin = Plugin<ServerContext, ServerContext>;

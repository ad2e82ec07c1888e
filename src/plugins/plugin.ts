import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Plugin } from 'graphql-yoga';

/** What the hooks of a plugin get beside the request: Node's own request and response. */
export type ServerContext = { readonly req: IncomingMessage; readonly res: ServerResponse };

/** A plugin of Yoga, behind node:http. */
export type GatewayPlugin = Plugin<ServerContext, ServerContext>;

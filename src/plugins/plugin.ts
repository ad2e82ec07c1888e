import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Plugin } from 'graphql-yoga';
import type { Incoming } from '../request.ts';

/** What the hooks of a plugin get beside the request: Node's own request and response. */
export type ServerContext = { readonly req: IncomingMessage; readonly res: ServerResponse };

/** A plugin of Yoga, behind node:http. */
export type GatewayPlugin = Plugin<ServerContext, ServerContext>;

/**
 * What is known of each request under way. It holds credentials, so it is no member of Yoga's context, which any
 * plugin may log.
 */
export type Callers = WeakMap<IncomingMessage, Incoming>;

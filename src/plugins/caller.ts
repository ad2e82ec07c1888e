import type { IncomingMessage } from 'node:http';
import {
  beginEvent,
  type CallerEvent,
  type CallerOptions,
  createCaller,
} from '../request/caller.ts';
import { beginLifetime } from '../request/lifetime.ts';
import type { HeaderOf } from '../request/trace-context.ts';
import type { Watcher } from '../upstream/call.ts';
import type { UpstreamCaller } from '../upstream/index.ts';
import type { GatewayPlugin } from './plugin.ts';

/** A request under way. */
interface CallerRequest {
  /** What of it may reach an upstream (docs/architecture.md, "Credentials pass through"); nothing else does. */
  readonly caller: UpstreamCaller;
  /** When it came, in milliseconds of `performance.now()`. */
  readonly began: number;
  /** Makes it the beginning of a stream of events, which takes as long as it takes. */
  stream(): CallerStream;
  /** Whether it is one: what each event tells is done by the plugin that makes them. */
  readonly isStream: boolean;
}

/** A request that is answered with a stream of events. */
interface CallerStream {
  /** Aborted when the caller has gone. */
  readonly gone: AbortSignal;
  /** Each event is an operation by itself, with a budget and a deadline of its own. It is given up with the signal. */
  begin(watcher: Watcher, signal: AbortSignal): CallerEvent;
}

/**
 * What is known of each request under way. It holds credentials, so it is no member of Yoga's context, which any
 * plugin may log.
 */
export type Callers = WeakMap<IncomingMessage, CallerRequest>;

/** Nothing moves on a connection while a write is under way, which may take longer than a connection may be idle. */
const keepOpen =
  ({ socket }: IncomingMessage) =>
  (): (() => void) => {
    const { timeout = 0 } = socket;
    socket.setTimeout(0);
    return () => socket.setTimeout(timeout);
  };

/**
 * Reads who calls: credentials, request id, trace headers. The operation begins here, and ends once the caller has its
 * response or has gone.
 */
export const useCaller = (callers: Callers, options: CallerOptions): GatewayPlugin => ({
  onRequest: ({ request, serverContext: { req, res } }) => {
    const began = performance.now();
    const lifetime = beginLifetime(began, options, keepOpen(req));
    // Comes once for every response: when all of it is sent, or when the connection has gone before.
    res.once('close', lifetime.end);
    const header: HeaderOf = (name) => request.headers.get(name);
    const caller = createCaller(header, lifetime, began, options);
    let isStream = false;
    const stream = (): CallerStream => {
      isStream = true;
      lifetime.last();
      return {
        gone: lifetime.signal,
        begin: (watcher, signal) => beginEvent(caller, watcher, signal, options),
      };
    };
    callers.set(req, {
      caller,
      began,
      stream,
      get isStream() {
        return isStream;
      },
    });
    res.setHeader('x-request-id', caller.requestId);
  },
});

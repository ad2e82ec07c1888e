import type { IncomingMessage } from 'node:http';
import {
  beginEvent,
  type CallerEvent,
  type CallerOptions,
  createCaller,
} from '../request/caller.ts';
import { beginLifetime, type Lifetimes } from '../request/lifetime.ts';
import type { HeaderOf } from '../request/trace-context.ts';
import type { UpstreamCaller } from '../upstream/index.ts';
import type { Watcher } from '../upstream/watcher.ts';
import type { GatewayPlugin } from './plugin.ts';

/** A request under way. */
export interface CallerRequest {
  /** The data of the request that may reach an upstream (docs/architecture.md, "Credentials pass through"). */
  readonly caller: UpstreamCaller;
  /** When the request arrived, in milliseconds of `performance.now()`. */
  readonly began: number;
  /**
   * Turns the request into an event stream, which has no time limit.
   *
   * @param isFresh whether the first event shows nothing that was read before the request came
   */
  stream(isFresh?: boolean): CallerStream;
  /** Whether it is an event stream: then the plugin that makes events also reports ages and progress. */
  readonly isStream: boolean;
  /** Whether its mutations only tell what they would send. */
  isDryRun: boolean;
}

/** A request that is answered with an event stream. */
interface CallerStream {
  /** Aborted when the caller has left. */
  readonly gone: AbortSignal;
  /** Begins an event: an operation with its own budget and deadline. The signal ends it early. */
  begin(watcher: Watcher, signal: AbortSignal): CallerEvent;
}

/** Every request under way. They hold credentials, so they are not part of Yoga's context, which any plugin may log. */
export type Callers = WeakMap<IncomingMessage, CallerRequest>;

/** Keeps the connection open during a write, which may take longer than a connection may be idle. */
const keepOpen =
  ({ socket }: IncomingMessage) =>
  (): (() => void) => {
    const { timeout = 0 } = socket;
    socket.setTimeout(0);
    return () => socket.setTimeout(timeout);
  };

/**
 * Reads the caller's credentials, request id and trace headers. The operation begins here, and ends when the caller has
 * its response or has left.
 */
export const useCaller = (
  callers: Callers,
  lifetimes: Lifetimes,
  options: CallerOptions,
): GatewayPlugin => ({
  onRequest: ({ request, serverContext: { req, res } }) => {
    const began = performance.now();
    const lifetime = beginLifetime(began, options, keepOpen(req));
    lifetimes.add(lifetime, res);
    const header: HeaderOf = (name) => request.headers.get(name);
    const caller = createCaller(header, lifetime, began, options);
    let isStream = false;
    const stream = (isFresh = false): CallerStream => {
      const own = isFresh ? { ...caller, readAfter: began } : caller;
      isStream = true;
      lifetime.last();
      return {
        gone: lifetime.signal,
        begin: (watcher, signal) => beginEvent(own, watcher, signal, options),
      };
    };
    callers.set(req, {
      caller,
      began,
      stream,
      isDryRun: false,
      get isStream() {
        return isStream;
      },
    });
    res.setHeader('x-request-id', caller.requestId);
  },
});

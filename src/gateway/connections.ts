import type { Server, ServerOptions } from 'node:http';

/**
 * How long a server waits for a request. The head is a few packets, so it gets half the time of a whole request. A caller
 * that is too slow gets 408 and its connection is closed; so is a connection without any request.
 */
export const waitingOptions = (requestTimeoutMs: number): ServerOptions => ({
  requestTimeout: requestTimeoutMs,
  headersTimeout: Math.ceil(requestTimeoutMs / 2),
  // Node checks every 30 seconds by default, which could double the time of a caller.
  connectionsCheckingInterval: Math.ceil(requestTimeoutMs / 10),
});

/** The least time between two warnings about a full server, in milliseconds. */
const quietMs = 60_000;

/**
 * Limits the open connections of a server; further connections are closed at once. Calls `onFull` when that happens, at most
 * once a minute.
 *
 * @param now milliseconds of a clock that never runs backwards
 */
export const limitConnections = (
  server: Server,
  most: number,
  onFull: () => void,
  now: () => number = () => performance.now(),
): void => {
  server.maxConnections = most;
  let toldAt = Number.NEGATIVE_INFINITY;
  server.on('drop', () => {
    if (now() - toldAt < quietMs) return;
    toldAt = now();
    onFull();
  });
};

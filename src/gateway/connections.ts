import type { Server, ServerOptions } from 'node:http';

/**
 * How long a server waits for a request. The head is only a few packets, so it gets half the time of a whole request.
 * If the caller is too slow, it gets 408 and its connection is closed. A connection without any request is closed too.
 */
export const waitingOptions = (requestTimeoutMs: number): ServerOptions => ({
  requestTimeout: requestTimeoutMs,
  headersTimeout: Math.ceil(requestTimeoutMs / 2),
  // By default Node checks every 30 seconds, so a slow caller could take twice the time.
  connectionsCheckingInterval: Math.ceil(requestTimeoutMs / 10),
});

/** The least time between two warnings about a full server, in milliseconds. */
const quietMs = 60_000;

/**
 * Limits the open connections of a server; further connections are closed at once. Calls `onFull` when that happens, at
 * most once a minute.
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

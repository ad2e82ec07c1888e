import type { Server, ServerOptions } from 'node:http';

/**
 * How long a server waits for a request. A head is a few packets, so it has half the time of a whole request. A caller
 * that is too slow is answered 408 and loses its connection, and so does one that sends nothing.
 */
export const waitingOptions = (requestTimeoutMs: number): ServerOptions => ({
  requestTimeout: requestTimeoutMs,
  headersTimeout: Math.ceil(requestTimeoutMs / 2),
  // Node looks every 30 seconds by default, so a caller could take twice its time.
  connectionsCheckingInterval: Math.ceil(requestTimeoutMs / 10),
});

/** How often at most a full server is told of, in milliseconds. */
const quietMs = 60_000;

/**
 * Bounds the open connections of a server; it closes further ones at once. `onFull` is called when that happens, at most
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

import { createHash } from 'node:crypto';

/** The number of requests that a credential may make in a window. */
export type Rate = { readonly requests: number; readonly windowMs: number };

/** The state of a credential's window after a request has been counted. */
export type Standing = {
  /** Requests left in this window. */
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly resetMs: number;
  /** Whether the counted request exceeds the limit. */
  readonly exceeded: boolean;
};

/** Counts the requests of each credential separately. */
export type Limiter = {
  /** Counts a request by its Authorization header; requests without one are counted together. */
  readonly count: (authorization: string | undefined) => Standing;
  /** The number of stored credentials. */
  readonly size: () => number;
};

type Window = { used: number; readonly endsAt: number };

/** The most credentials that a limiter stores. */
export const REMEMBERED = 1000;

/**
 * Fixed windows: a credential's window starts with its first request and ends `windowMs` later, regardless of later
 * requests. (express-rate-limit counts like this, and a real observability server uses it.) A credential is removed once its
 * window has ended. Beyond REMEMBERED credentials, the one with the oldest window is removed too, and starts a new window at
 * its next request.
 */
export const createLimiter = ({ requests, windowMs }: Rate, clock: () => Date): Limiter => {
  // In the order in which the windows started, which is also the order in which they end.
  const windows = new Map<string, Window>();

  const forget = (now: number): void => {
    for (const [name, { endsAt }] of windows) {
      if (endsAt > now && windows.size <= REMEMBERED) return;
      windows.delete(name);
    }
  };

  const windowOf = (name: string, now: number): Window => {
    const known = windows.get(name);
    if (known && known.endsAt > now) return known;
    // Deleted first, so that it comes last in the order.
    windows.delete(name);
    const started = { used: 0, endsAt: now + windowMs };
    windows.set(name, started);
    forget(now);
    return started;
  };

  return {
    count: (authorization = '') => {
      const now = clock().getTime();
      // A digest, since header values may be long and need not be stored.
      const name = createHash('sha256').update(authorization).digest('base64');
      const window = windowOf(name, now);
      window.used += 1;
      return {
        remaining: Math.max(0, requests - window.used),
        resetMs: window.endsAt - now,
        exceeded: window.used > requests,
      };
    },
    size: () => windows.size,
  };
};

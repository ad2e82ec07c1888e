import { createHash } from 'node:crypto';

/** How many requests a credential may make in a window. */
export type Rate = { readonly requests: number; readonly windowMs: number };

/** Where a credential stands once a request has been counted. */
export type Standing = {
  /** Requests left in this window. */
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly resetMs: number;
  /** Whether the request counted is one too many. */
  readonly exceeded: boolean;
};

/** Counts requests, for each credential apart. */
export type Limiter = {
  /** Counts a request by its Authorization header; requests without one are counted together. */
  readonly count: (authorization: string | undefined) => Standing;
  /** How many credentials are remembered. */
  readonly size: () => number;
};

type Window = { used: number; readonly endsAt: number };

/** Credentials that a limiter remembers at a time. */
export const REMEMBERED = 1000;

/**
 * Fixed windows: a credential's window starts with its first request and ends `windowMs` later, whatever comes
 * meanwhile. (express-rate-limit counts like this, which an observability server of this family uses.)
 * A credential is forgotten once its window has ended; beyond REMEMBERED, the one whose window is the oldest is
 * forgotten too, and starts a new one when it comes again.
 */
export const createLimiter = ({ requests, windowMs }: Rate, clock: () => Date): Limiter => {
  // In the order in which the windows started, so also in the order in which they end.
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
      // A digest: header values may be long, and need not be kept.
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

/** How an interface counts calls. `fixed`: a window begins with the first call after the window before has ended. */
export type WindowKind = 'fixed' | 'sliding';

/** The limits of the two interfaces, for each credential. */
const documented = {
  management: { calls: 10, milliseconds: 10_000 },
  observability: { calls: 100, milliseconds: 60_000 },
};

/**
 * Counts the calls of one credential; refused calls do not count. All times in milliseconds. The reset is when the fixed
 * window ends, or when the oldest call leaves the sliding window.
 */
export const createWindow = (
  kind: WindowKind,
  { calls, milliseconds }: { readonly calls: number; readonly milliseconds: number },
) => {
  let times: readonly number[] = [];
  return (now: number) => {
    const ended = now >= (times[0] ?? now) + milliseconds;
    if (kind === 'sliding') times = times.filter((time) => time > now - milliseconds);
    else if (ended) times = [];
    const accepted = times.length < calls;
    if (accepted) times = [...times, now];
    return {
      accepted,
      remaining: calls - times.length,
      resetMilliseconds: (times[0] ?? now) + milliseconds - now,
    };
  };
};

/** The number in the credential; undefined if it has another interface's scheme. */
export const callerOf = (path: string, authorization = ''): number | undefined => {
  const basic = /^Basic (\S+)$/.exec(authorization)?.[1] ?? '';
  const found = path.startsWith('/v1/')
    ? Buffer.from(basic, 'base64').toString()
    : /^Bearer (\S+)$/.exec(authorization)?.[1];
  const digits = /\d+/.exec(found ?? '')?.[0];
  return digits === undefined ? undefined : Number(digits);
};

/** The interface's response: headers, and the body of a 429. Each interface has its own texts. */
export interface Counted {
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal: string | undefined;
}

/** Counts the calls of each credential on each interface. */
export const createLimiter = (kind: WindowKind, limits = documented) => {
  const windows = new Map<string, ReturnType<typeof createWindow>>();
  return (path: string, caller: number, now: number): Counted => {
    const name = path.startsWith('/v1/') ? 'management' : 'observability';
    const window = windows.get(`${name} ${caller}`) ?? createWindow(kind, limits[name]);
    windows.set(`${name} ${caller}`, window);
    const { accepted, remaining, resetMilliseconds } = window(now);
    if (name === 'management') {
      if (accepted) return { headers: {}, refusal: undefined };
      const reset = (Math.ceil(resetMilliseconds) / 1000).toFixed(3);
      return {
        headers: { 'x-ratelimit-reset': reset },
        refusal: '{"status":429,"error":"TOO_MANY"}',
      };
    }
    const headers = {
      'ratelimit-limit': String(limits.observability.calls),
      'ratelimit-remaining': String(remaining),
      'ratelimit-reset': String(Math.ceil(resetMilliseconds / 1000)),
    };
    if (accepted) return { headers, refusal: undefined };
    // Retry-After has the whole window, and RateLimit-Reset the actual wait.
    return { headers: { ...headers, 'retry-after': '60' }, refusal: 'Too many requests.' };
  };
};

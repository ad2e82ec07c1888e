import {
  type Counter,
  createCounter,
  type Interface,
  limits,
  type Verdict,
  type WindowKind,
} from './windows.ts';

/** What a backend saw. */
export interface Counts {
  readonly calls: number;
  /** Calls that were answered with 429. */
  readonly refused: number;
  /** The most calls of one credential within any span as long as a window. */
  readonly most: Readonly<Record<Interface, number>>;
}

/** A 429, as the interface words it. */
export interface Refusal {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A call that was counted. */
export interface CountedCall {
  /** Number of the credential. */
  readonly caller: number;
  /** Whether answers of the interface lie in the envelope with `result`. */
  readonly enveloped: boolean;
  /** Headers of every answer. */
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal: Refusal | undefined;
}

/** The credential without its scheme. */
const opened: Record<Interface, (authorization: string) => string | undefined> = {
  management: (authorization) => {
    const encoded = /^Basic (\S+)$/.exec(authorization)?.[1];
    return encoded && Buffer.from(encoded, 'base64').toString('utf8');
  },
  observability: (authorization) => /^Bearer (\S+)$/.exec(authorization)?.[1],
};

const wholeSeconds = ({ resetMilliseconds }: Verdict): string =>
  String(Math.ceil(resetMilliseconds / 1000));

/** Headers of every answer: management has none. */
const headersOf: Record<Interface, (verdict: Verdict) => Readonly<Record<string, string>>> = {
  management: () => ({}),
  observability: (verdict) => ({
    'ratelimit-limit': String(limits.observability.calls),
    'ratelimit-remaining': String(verdict.remaining),
    'ratelimit-reset': wholeSeconds(verdict),
  }),
};

/** Observability names the whole window in Retry-After, and the true wait in RateLimit-Reset. */
const refusalOf: Record<Interface, (verdict: Verdict) => Refusal> = {
  management: ({ resetMilliseconds }) => ({
    headers: { 'x-ratelimit-reset': (Math.ceil(resetMilliseconds) / 1000).toFixed(3) },
    body: { status: 429, error: 'TOO_MANY_REQUESTS: too many requests', requestId: null },
  }),
  observability: () => ({
    headers: { 'retry-after': String(limits.observability.milliseconds / 1000) },
    body: 'Too many requests, please try again later.',
  }),
};

/** Counts the calls of each credential on each interface. */
export const createCounters = (kind: WindowKind) => {
  const counters: Record<Interface, Map<string, Counter>> = {
    management: new Map(),
    observability: new Map(),
  };
  let calls = 0;
  let refused = 0;

  const counterOf = (name: Interface, credential: string): Counter => {
    const known = counters[name].get(credential);
    if (known) return known;
    const made = createCounter(kind, limits[name]);
    counters[name].set(credential, made);
    return made;
  };

  const most = (name: Interface): number =>
    Math.max(0, ...[...counters[name].values()].map((counter) => counter.most()));

  return {
    /** Undefined where there is no credential of the interface's scheme. `now` in milliseconds. */
    count: (path: string, authorization: string, now: number): CountedCall | undefined => {
      const name = path.startsWith('/v1/') ? 'management' : 'observability';
      const credential = opened[name](authorization);
      if (credential === undefined) return undefined;
      const verdict = counterOf(name, credential).count(now);
      calls += 1;
      if (!verdict.accepted) refused += 1;
      return {
        caller: Number(/\d+/.exec(credential)?.[0]),
        enveloped: name === 'management',
        headers: headersOf[name](verdict),
        refusal: verdict.accepted ? undefined : refusalOf[name](verdict),
      };
    },
    counts: (): Counts => ({
      calls,
      refused,
      most: { management: most('management'), observability: most('observability') },
    }),
  };
};

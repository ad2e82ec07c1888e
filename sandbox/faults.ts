/** The ways in which a credential can fail on purpose, for developing a page's error states. */
export const faults = [
  /** 429, as for a credential that has exceeded its limit. */
  'tooManyRequests',
  /** 500. */
  'serverError',
  /** 503 with Retry-After. */
  'unavailable',
  /** 524 with a page, as from a proxy that got no answer in time. */
  'proxyTimeout',
  /** The normal answer, 5 s late. */
  'slow',
  /** 200 with an HTML page instead of JSON. */
  'html',
  /** The normal answer, cut off in the middle of its body. */
  'cut',
] as const;

/** One of `faults`. */
export type Fault = (typeof faults)[number];

/**
 * Statuses of a proxy in front of an upstream. Those above 511 are Cloudflare's. Any other 5xx comes from the upstream,
 * or is not documented, such as 527 to 529.
 */

/** The proxy got no answer in time. */
export const isProxyTimeout = (status: number | undefined): boolean =>
  status === 504 || status === 524;

const unreached = new Set([502, 520, 521, 522, 523, 525, 526, 530]);

/** The proxy could not reach the upstream, or its answer was not HTTP (520). */
export const isBadGateway = (status: number | undefined): boolean =>
  status !== undefined && unreached.has(status);

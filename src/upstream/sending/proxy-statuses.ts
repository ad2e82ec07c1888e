/**
 * Statuses of a proxy in front of an upstream. Those above 511 are Cloudflare's. Any other 5xx is the upstream's own, or one
 * that nobody has described, such as 527 to 529.
 */

/** The proxy waited for an answer, and none came in time. */
export const isProxyTimeout = (status: number | undefined): boolean =>
  status === 504 || status === 524;

const unreached = new Set([502, 520, 521, 522, 523, 525, 526, 530]);

/** The proxy could not reach the upstream, or got an answer from it that was not HTTP (520). */
export const isBadGateway = (status: number | undefined): boolean =>
  status !== undefined && unreached.has(status);

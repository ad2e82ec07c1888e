import type { UpstreamAnswer } from './transport.ts';

/** A header's first value; '' where there is none. */
export const header = ({ headers }: Pick<UpstreamAnswer, 'headers'>, name: string): string => {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? '';
};

/** The limit's own reset is the true wait; `Retry-After` may be the whole window. */
const ofLimit = ['x-ratelimit-reset', 'ratelimit-reset', 'retry-after'];
/** The headers of a limit stand on every answer, and say nothing of an outage. */
const ofOutage = ['retry-after'];

const names: Readonly<Record<number, readonly string[]>> = { 429: ofLimit, 503: ofOutage };

/** Seconds to wait, where a 429 or a 503 tells. `Retry-After` may be a date. */
export const retryAfterSeconds = (
  answer: Pick<UpstreamAnswer, 'status' | 'headers'>,
): number | undefined => {
  for (const name of names[answer.status] ?? []) {
    const value = header(answer, name);
    if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
    const date = name === 'retry-after' ? Date.parse(value) : Number.NaN;
    if (!Number.isNaN(date)) return Math.max(0, Math.ceil((date - Date.now()) / 1000));
  }
  return undefined;
};

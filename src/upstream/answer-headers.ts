import type { Answer } from './call.ts';

type Headers = Pick<Answer, 'headers'>;

/** A header's first value; '' if there is none. */
export const headerOf = ({ headers }: Headers, name: string): string => {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? '';
};

/** The longest wait that an upstream can ask for, in seconds. A longer one is cut to this. */
const longestWait = 300;
/** A larger number means seconds since 1970, not seconds to wait. */
const leastEpoch = 1e9;

/** Seconds to wait, at most five minutes; undefined if the text is not a number of seconds. */
const secondsOf = (text: string): number | undefined => {
  if (!/^\d{1,15}(\.\d+)?$/.test(text)) return undefined;
  const seconds = Number(text) > leastEpoch ? Number(text) - Date.now() / 1000 : Number(text);
  return Math.min(longestWait, Math.max(0, seconds));
};

/** The parameters of the header `RateLimit: "name";r=50;t=5`. */
const remaining = /;\s*r=(\d{1,15})/;
const reset = /;\s*t=(\d{1,15})/;
const parameterOf = (answer: Headers, parameter: RegExp): string =>
  parameter.exec(headerOf(answer, 'ratelimit'))?.[1] ?? '';

/** When the window of a limit ends, in seconds from now. */
const resetOf = (answer: Headers): number | undefined =>
  secondsOf(headerOf(answer, 'x-ratelimit-reset')) ??
  secondsOf(headerOf(answer, 'ratelimit-reset')) ??
  secondsOf(parameterOf(answer, reset));

/** `Retry-After`: seconds, or a date. */
const retryAfterOf = (answer: Headers): number | undefined => {
  const text = headerOf(answer, 'retry-after');
  // `Date.parse` takes other texts, such as -1, for dates.
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return (
    secondsOf(text) ??
    (Number.isNaN(date) ? undefined : secondsOf(String(Math.max(0, date - Date.now()) / 1000)))
  );
};

/** Seconds to wait, at most five minutes, if a 429 or a 503 tells them. */
export const retryAfterSeconds = (
  answer: Pick<Answer, 'status' | 'headers'>,
): number | undefined => {
  // The limit's own reset is the true wait; `Retry-After` may be the whole window.
  const ofLimit = answer.status === 429 ? resetOf(answer) : undefined;
  // Only a 429 is about the limit. Other answers have the limit's headers too, but these say nothing about an outage.
  const refused = answer.status === 429 || answer.status === 503;
  const seconds = ofLimit ?? (refused ? retryAfterOf(answer) : undefined);
  // 0 may be a rounded part of a second, or come from a clock that differs. A call sent at once would be refused again.
  return seconds === 0 ? 1 : seconds;
};

/** How many calls the upstream still allows the credential, and for how many seconds; undefined if it does not tell. */
export const callsLeft = (
  answer: Headers,
): { readonly calls: number; readonly seconds: number | undefined } | undefined => {
  const text = headerOf(answer, 'ratelimit-remaining') || parameterOf(answer, remaining);
  return /^\d{1,9}$/.test(text) ? { calls: Number(text), seconds: resetOf(answer) } : undefined;
};

/** A header of a request by its name in lower case, or null. */
export type HeaderOf = (name: string) => string | null;

// By W3C Trace Context, the version ff and all-zero identifiers are invalid.
const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

const maxStateLength = 512;
const maxStateMembers = 32;

/**
 * One member of `tracestate`. No character `=` can be part of the key or the value, so the expression never backtracks.
 */
const stateMember = /^[a-z0-9][a-z0-9_*/@-]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{1,256}$/;

const isBlank = (character: string | undefined): boolean => character === ' ' || character === '\t';

/** Only spaces and tabs: `trim` would remove more. */
const trimmed = (text: string): string => {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text[start])) start += 1;
  while (end > start && isBlank(text[end - 1])) end -= 1;
  return text.slice(start, end);
};

/**
 * Whether a `tracestate` may be passed on. The length is checked first. The list is split before its members are
 * checked, because one expression for the whole list could divide spaces between values and separators in many ways.
 */
const isTraceState = (value: string): boolean => {
  if (value.length > maxStateLength) return false;
  const members = value.split(',');
  return (
    members.length <= maxStateMembers &&
    members.every((member) => stateMember.test(trimmed(member)))
  );
};

/** The trace of a valid `traceparent`; undefined without one. */
export const traceIdOf = ([, parent]: readonly string[]): string | undefined =>
  parent?.slice(3, 35);

const noHeaders: readonly string[] = [];

/** The valid headers `traceparent` and `tracestate`: name, value, name, value. */
export const traceHeadersOf = (header: HeaderOf): readonly string[] => {
  const parent = header('traceparent');
  if (parent === null || !traceparent.test(parent)) return noHeaders;
  const state = header('tracestate');
  return state !== null && isTraceState(state)
    ? ['traceparent', parent, 'tracestate', state]
    : ['traceparent', parent];
};

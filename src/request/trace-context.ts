/** A header of a request by its name in lower case, or null. */
export type HeaderOf = (name: string) => string | null;

// W3C Trace Context: version ff and identifiers of zeros alone are invalid.
const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

const maxStateLength = 512;
const maxStateMembers = 32;

/** One member of `tracestate`. Key and value have no character `=` in common, so it is tried in one way only. */
const stateMember = /^[a-z0-9][a-z0-9_*/@-]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{1,256}$/;

const isBlank = (character: string | undefined): boolean => character === ' ' || character === '\t';

/** Blanks and tabs alone: `trim` would take off more. */
const trimmed = (text: string): string => {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text[start])) start += 1;
  while (end > start && isBlank(text[end - 1])) end -= 1;
  return text.slice(start, end);
};

/**
 * Whether a `tracestate` may be passed on. The length is checked first. The members are split before they are
 * checked: one expression for the whole list could divide blanks between a value and the list in many ways.
 */
export const isTraceState = (value: string): boolean => {
  if (value.length > maxStateLength) return false;
  const members = value.split(',');
  return (
    members.length <= maxStateMembers &&
    members.every((member) => stateMember.test(trimmed(member)))
  );
};

const noHeaders: readonly string[] = [];

/** `traceparent` and `tracestate` where they came and are valid: name, value, name, value. */
export const traceHeadersOf = (header: HeaderOf): readonly string[] => {
  const parent = header('traceparent');
  if (parent === null || !traceparent.test(parent)) return noHeaders;
  const state = header('tracestate');
  return state !== null && isTraceState(state)
    ? ['traceparent', parent, 'tracestate', state]
    : ['traceparent', parent];
};

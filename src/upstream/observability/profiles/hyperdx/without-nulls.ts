import type { Members } from '../../../profile.ts';

/**
 * Without the members that are null. The service answers null for what it has no value of, and refuses some of these
 * nulls when they are sent back. For all others null is the same as none.
 */
export const withoutNulls = (record: Members): Members =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));

import type { Members } from '../../../profile.ts';

/**
 * The record without its null members. The service answers null for members without a value, and refuses some of these
 * nulls when they are sent back. For all other members, null is the same as absent.
 */
export const withoutNulls = (record: Members): Members =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));

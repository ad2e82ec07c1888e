import { createAttachment } from '../attachment.ts';
import type { JsonText } from './json-text.ts';
import type { Selection } from './selection.ts';

/** The texts of the values that were marked, for as long as the values themselves live. */
const shared = createAttachment<Map<Selection, JsonText>>('texts by selection');

/**
 * Marks a raw value, a record or a list of records, as one that several executions are going to
 * complete: what one of them prints of it as a whole, those after it take over. It must not change any
 * more.
 */
export const shareResults = (value: unknown): void => {
  if (typeof value !== 'object' || value === null || shared.of(value)) return;
  shared.attach(value, new Map());
};

/**
 * The texts of a marked value, which whoever makes another adds it to; undefined for a value that is not marked.
 *
 * Such a text depends on nothing but the selection and the value, since there is one only where the selection
 * is plain at all its levels: its fields have no arguments, and are members of their parent or made by
 * resolvers that look at the parent alone; the types of objects come of no resolver; leaves are
 * serialized by their type. A selection belongs to one schema, one document and one choice of `@skip`
 * and `@include`. So it takes no part in this who asks, nor with which variables or context.
 */
export const textsOf = (value: object): Map<Selection, JsonText> | undefined => shared.of(value);

import type { JsonText } from './json-text.ts';
import type { Selection } from './selection.ts';

type Texts = Map<Selection, JsonText>;

/**
 * Where a marked value keeps its texts: neither copied with it nor printed. A WeakMap would say the same, but V8
 * takes what its entries hold for alive until a full collection: records of one request would all grow old.
 */
const texts = Symbol('texts by selection');

/**
 * Marks a raw value, a record or a list of records, as one that several executions are going to
 * complete: what one of them prints of it as a whole, those after it take over. It must not change any
 * more, and must not be frozen.
 */
export const shareResults = (value: unknown): void => {
  if (typeof value !== 'object' || value === null || textsOf(value)) return;
  Object.defineProperty(value, texts, { value: new Map(), enumerable: false });
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
export const textsOf = (value: object): Texts | undefined =>
  (value as { readonly [texts]?: Texts })[texts];

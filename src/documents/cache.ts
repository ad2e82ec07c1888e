import { LRUCache } from 'lru-cache';

/**
 * A cache by a document's text. What is made of a text takes some forty times its room, and anybody may
 * send one: the texts together are bounded to 2.5 million UTF-16 units, which is a hundred megabytes, and a
 * long one is not kept at all.
 */
export const createDocumentCache = <Value extends object>(): LRUCache<string, Value> =>
  new LRUCache({
    max: 20_000,
    maxSize: 2.5 * 1024 * 1024,
    maxEntrySize: 16 * 1024,
    sizeCalculation: (_, text) => text.length + 1,
  });

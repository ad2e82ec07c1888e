import { expect, it } from 'vitest';
import { createDocumentCache } from '../../src/documents/documents.ts';

// That it keeps nothing that may hold a secret is shown by test/credentials/secrets-in-documents.test.ts.
it('the memory of documents has at most two and a half million characters, and no long one', () => {
  const cache = createDocumentCache<object>();
  const text = (number: number, length: number) => String(number).padEnd(length, '#');
  for (let number = 0; number < 5000; number += 1) cache.set(text(number, 1000), {});
  expect(cache.size).toBeLessThanOrEqual(2621);
  expect(cache.calculatedSize).toBeLessThanOrEqual(2.5 * 1024 * 1024);
  cache.set(text(1, 17 * 1024), {});
  expect(cache.get(text(1, 17 * 1024))).toBeUndefined();
  expect(cache.get(text(4999, 1000))).toBeDefined();
});

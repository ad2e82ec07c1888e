import { expect, it } from 'vitest';
import { createDocumentCache, createDocuments } from '../../src/documents/documents.ts';
import { createSchema } from '../../src/gateway/schema.ts';

const limits = { tokens: 2000, cost: 100_000 };
const documents = createDocuments({
  schema: createSchema(),
  limits,
  introspection: true,
  mutations: true,
});
const deletion = (input: string) => `deleteDashboard(input: ${input}) { deletedDashboardId }`;

it.each([
  ['a query with strings', '{ alert(id: "a") { name } } # of a', true, true],
  [
    'a mutation of variables',
    `mutation ($input: DeleteDashboardInput!) { ${deletion('$input')} }`,
    true,
    true,
  ],
  ['a mutation with strings', `mutation { ${deletion('{ dashboardId: "a" }')} }`, true, false],
  ['a query with a fault', '{ nothing }', false, false],
])('%s is valid, and kept, or not', (_, text, valid, kept) => {
  for (let time = 0; time < 2; time += 1) {
    expect([documents.find(text) !== undefined, documents.keeps(text)]).toEqual([valid, kept]);
  }
});

it('does not parse again at once what it does not keep', () => {
  documents.find('{ unknown }');
  const document = documents.parse('{ unknown }');
  expect(documents.parse('{ unknown }')).toBe(document);
  expect(documents.validate(document)).toHaveLength(1);
});

it('keeps no more than two and a half million characters of documents, and no long one', () => {
  const cache = createDocumentCache<object>();
  const text = (number: number, length: number) => String(number).padEnd(length, '#');
  for (let number = 0; number < 5000; number += 1) cache.set(text(number, 1000), {});
  expect(cache.size).toBeLessThanOrEqual(2621);
  expect(cache.calculatedSize).toBeLessThanOrEqual(2.5 * 1024 * 1024);
  cache.set(text(1, 17 * 1024), {});
  expect(cache.get(text(1, 17 * 1024))).toBeUndefined();
  expect(cache.get(text(4999, 1000))).toBeDefined();
});

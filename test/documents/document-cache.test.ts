import { parse } from 'graphql';
import { expect, it } from 'vitest';
import { createDocumentCache, createDocuments } from '../../src/documents/documents.ts';
import { createSchema } from '../../src/gateway/schema.ts';

const limits = { tokens: 2000, cost: 100_000 };
const documents = createDocuments({ schema: createSchema(), limits, introspection: true });

it.each([
  ['a query', '{ alerts { name } }', true],
  ['a query with strings', '{ alert(id: "a") { name } } # of a', true],
  [
    'a mutation of variables',
    'mutation ($input: DeleteDashboardInput!) { deleteDashboard(input: $input) { deletedDashboardId } }',
    true,
  ],
  [
    'a mutation with strings',
    'mutation { deleteDashboard(input: {dashboardId: "a"}) { deletedDashboardId } }',
    false,
  ],
  ['a query with a fault', '{ nothing }', false],
])('%s is kept or not', (_, text, kept) => {
  const valid = text !== '{ nothing }';
  for (let time = 0; time < 2; time += 1) {
    expect(documents.find(text) !== undefined).toBe(valid);
    expect(documents.keeps(text)).toBe(kept);
  }
});

it('keeps no document that was parsed elsewhere', () => {
  const text = '{ dashboards { name } }';
  expect(documents.validate(parse(text))).toEqual([]);
  expect(documents.keeps(text)).toBe(false);
});

it('does not parse again at once what it does not keep', () => {
  const text = '{ unknown }';
  expect(documents.find(text)).toBeUndefined();
  const document = documents.parse(text);
  expect(documents.parse(text)).toBe(document);
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

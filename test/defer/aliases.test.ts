import { afterAll, beforeAll, expect, it } from 'vitest';
import { data, result, type Stack, startStack } from '../support/harness.ts';
import { askInParts } from '../support/in-parts.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    management: () => result([]),
    observability: () => data([{ id: 'd1', name: 'd', tiles: [{ id: 't1', name: 't' }] }]),
  });
});
afterAll(() => stack.close());

const prompt = (alias: string): string => `{"${alias}":[{"id":"d1"}]}`;
const later = (alias: string): string => `{"${alias}":[{"${alias}":"t"}]}`;
const whole = (alias: string): string => `{"${alias}":[{"id":"d1","${alias}":[{"${alias}":"t"}]}]}`;

it.each([
  // Yoga's executor would take the objects for promises, so it does not come in parts.
  ['then', [whole]],
  ...['__proto__', 'constructor', 'toString', 'toJSON', 'asyncIterator', 'hasOwnProperty'].map(
    (alias) => [alias, [prompt, later]] as const,
  ),
] as const)('an alias may be %s, with @defer and without it', async (alias, parts) => {
  const document = `{ ${alias}: dashboards { id ... @defer { ${alias}: tiles { ${alias}: name } } } }`;
  expect((await stack.query(document)).text).toBe(`{"data":${whole(alias)}}`);
  const arrived = await askInParts(stack, document).ended;
  const data = arrived.flatMap(({ data, incremental = [] }) => [
    ...(data ? [data] : []),
    ...incremental.map((part) => part.data),
  ]);
  // As text, since no comparison of objects is right about `__proto__`.
  expect(data.map((each) => JSON.stringify(each))).toEqual(parts.map((part) => part(alias)));
  expect(stack.complaints()).toBe('');
});

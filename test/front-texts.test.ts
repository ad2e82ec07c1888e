import { afterAll, beforeAll, expect, it } from 'vitest';
import { data, result, type Stack, startStack } from './harness.ts';

// More than it takes for what is selected of them to be compiled.
const alerts = Array.from({ length: 250 }, (_, index) => ({
  id: `a${index}`,
  name: index % 7 === 0 ? null : `"alert" ${index} \u2028 \ud800`,
  threshold: index / 3,
  dashboard: `d${index % 10}`,
}));
const dashboards = Array.from({ length: 10 }, (_, index) => ({
  id: `d${index}`,
  name: `dashboard ${index}`,
  // A tile without an identifier is an error of its own.
  tiles: index === 3 ? [{ name: 'no id' }] : [{ id: `t${index}`, name: 'tile' }],
}));

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    management: () => result([]),
    observability: ({ path }) => {
      const dashboard = dashboards.find(({ id }) => path.endsWith(`/${id}`));
      return data(dashboard ?? (path.endsWith('/alerts') ? alerts : dashboards));
    },
  });
});
afterAll(() => stack.close());

it.each([
  '{ alerts { id name threshold dashboard { name tiles { name } } } }',
  '{ alerts { __typename id name threshold } }',
  '{ dashboards { name tiles { id name } alerts { id name } } }',
])(
  'prints what Yoga does, from the first answer to those of compiled selections: %s',
  async (query) => {
    const ask = async (accept: string) => {
      const headers = { accept, 'x-request-id': 'the-same' };
      return (await stack.query(query, { headers })).text;
    };
    const expected = await ask('application/json;q=1');
    expect(expected).toMatch(/"name":"(dashboard 1|.*alert.*1 )/);
    for (let time = 0; time < 4; time += 1) expect(await ask('*/*')).toBe(expected);
  },
);

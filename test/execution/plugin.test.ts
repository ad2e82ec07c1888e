import { createSchema, createYoga, type Plugin } from 'graphql-yoga';
import { expect, it } from 'vitest';
import { useExecution } from '../../src/plugins/execution.ts';

/** Notes what is to execute each operation, by where the plugin stands. */
const noting = (found: unknown[]): Plugin => ({
  onExecute: ({ executeFn }) => {
    found.push(executeFn);
  },
});

const schema = createSchema({
  typeDefs: `
    directive @defer(if: Boolean, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT
    type Query { name: String words: [String] }
    type Mutation { rename: String }
    type Subscription { renamed: String }
  `,
  resolvers: {
    Query: { name: () => 'a', words: () => ['b', 'c'] },
    Mutation: { rename: () => 'd' },
    Subscription: {
      renamed: {
        subscribe: async function* () {
          yield { renamed: 'e' };
        },
      },
    },
  },
});

const ask = async (query: string, accept: string) => {
  const before: unknown[] = [];
  const after: unknown[] = [];
  const plugins = [noting(before), useExecution(), noting(after)];
  const yoga = createYoga({ schema, plugins, logging: false });
  const response = await yoga.fetch('http://gateway.invalid/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept },
    body: JSON.stringify({ query }),
  });
  const text = await response.text();
  return { text, executed: before.length, isReplaced: before[0] !== after[0] };
};

it.each(['query Q { answer: name }', 'mutation M { answer: rename }'])(
  'executes %s in place of Yoga',
  async (query) => {
    const { text, isReplaced } = await ask(query, 'application/json');
    expect(JSON.parse(text)).toEqual({ data: { answer: query.startsWith('query') ? 'a' : 'd' } });
    expect(isReplaced).toBe(true);
  },
);

it.each([
  ['{ name ... @defer { words } }', '["b","c"]'],
  ['{ ...F } fragment F on Query { ... @defer { name } }', '"a"'],
])('leaves %s to Yoga for who takes parts', async (query, part) => {
  const inParts = await ask(query, 'multipart/mixed');
  expect(inParts.executed).toBe(1);
  expect(inParts.text).toContain('"hasNext":true');
  expect(inParts.text).toContain(part);
  const whole = await ask(query, 'application/json');
  expect(JSON.parse(whole.text)).toEqual({ data: expect.anything() });
  expect(whole.text).toContain(part);
});

it('leaves subscriptions to Yoga', async () => {
  const { text, executed } = await ask('subscription { renamed }', 'text/event-stream');
  expect(text).toContain('{"data":{"renamed":"e"}}');
  expect(executed).toBe(0);
});

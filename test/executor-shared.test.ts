import { makeExecutableSchema } from '@graphql-tools/schema';
import { type GraphQLObjectType, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { ofParent } from '../src/execution/of-parent.ts';
import { shareResults } from '../src/execution/shared.ts';
import { createExecutor, type Execution } from '../src/executor.ts';
import { printed } from './printed.ts';

interface Raw {
  readonly id: string;
  readonly name?: string;
}

/** How often the field was made of a record. */
let made = 0;

const schema = makeExecutableSchema({
  typeDefs: `
    type Query { one: Item many: [Item] holder: [Holder] }
    type Mutation { one: Item }
    type Holder { one: Item }
    type Item { id: ID! made: String name: String }
  `,
  resolvers: {
    Query: {
      one: (_: unknown, __: unknown, { one }) => one,
      many: (_: unknown, __: unknown, { many }) => many,
      holder: () => [{}, {}],
    },
    Mutation: { one: (_: unknown, __: unknown, { one }) => one },
    Holder: { one: (_: unknown, __: unknown, { one }) => one },
  },
});

// graphql-tools would bind the resolver, and the mark be lost.
const field = (schema.getType('Item') as GraphQLObjectType).getFields().made;
if (field) {
  field.resolve = ofParent(({ id }: Raw) => {
    made += 1;
    return `made of ${id}`;
  });
}

interface Values {
  readonly one?: unknown;
  readonly many?: unknown;
}

/** Prepares executions of a document whose selections are all compiled. */
const prepare = async (text: string, options: Partial<Execution> = {}) => {
  const document = parse(text);
  const executor = createExecutor(schema, { projectAfter: 1 });
  const execute = async (contextValue: Values, more: Partial<Execution> = {}): Promise<string> =>
    printed(await executor({ document, contextValue, texts: true, ...options, ...more }));
  for (let time = 0; time < 2; time += 1) {
    await execute({ one: { id: 'x' }, many: [{ id: 'x' }, { id: 'y' }] });
  }
  made = 0;
  return execute;
};

describe('a value that is marked', () => {
  it.each([
    ['an object', '{ one { id made } }', { one: { id: 'a' } }, 1],
    ['a list', '{ many { made id } }', { many: [{ id: 'a' }, null, { id: 'b' }] }, 2],
  ])('is projected once for many executions: %s', async (_, text, values: Values, times) => {
    const execute = await prepare(text);
    shareResults(values.one);
    shareResults(values.many);
    const printed = await execute(values);
    for (let time = 0; time < 5; time += 1) expect(await execute(values)).toBe(printed);
    expect(printed).toContain('"made of a"');
    expect(made).toBe(times);
  });

  it('is projected once where its members are read', async () => {
    const execute = await prepare('{ one { name } }');
    let reads = 0;
    const one = {
      id: 'a',
      get name() {
        reads += 1;
        return `read ${reads}`;
      },
    };
    shareResults(one);
    for (let time = 0; time < 3; time += 1) {
      expect(await execute({ one })).toBe('{"data":{"one":{"name":"read 1"}}}');
    }
  });

  it('keeps what it has, when it is marked again', async () => {
    const execute = await prepare('{ one { made } }');
    const one = { id: 'a' };
    for (let time = 0; time < 3; time += 1) {
      shareResults(one);
      await execute({ one });
    }
    expect(made).toBe(1);
  });

  it('has a text of its own for each selection', async () => {
    const execute = await prepare(`query ($yes: Boolean = false) {
      one { id } a: one { name id @include(if: $yes) } b: one { id name }
    }`);
    const one = { id: 'a', name: 'A' };
    shareResults(one);
    const without = '{"data":{"one":{"id":"a"},"a":{"name":"A"},"b":{"id":"a","name":"A"}}}';
    const withId = without.replace('{"name":"A"}', '{"name":"A","id":"a"}');
    for (let time = 0; time < 4; time += 1) {
      expect(await execute({ one })).toBe(without);
      expect(await execute({ one }, { variableValues: { yes: true } })).toBe(withId);
    }
    const other = await prepare('{ one { name } }');
    expect(await other({ one })).toBe('{"data":{"one":{"name":"A"}}}');
  });

  it('is projected each time in a mutation', async () => {
    const execute = await prepare('mutation { one { made } }');
    const one = { id: 'a' };
    shareResults(one);
    for (let time = 0; time < 3; time += 1) await execute({ one });
    expect(made).toBe(3);
  });

  it('is projected each time for those who want objects', async () => {
    const execute = await prepare('{ one { made } }', { texts: false });
    const one = { id: 'a' };
    shareResults(one);
    for (let time = 0; time < 3; time += 1) await execute({ one });
    expect(made).toBe(3);
  });

  it('has no text where something is not as expected', async () => {
    const execute = await prepare('{ one { id } }');
    const one: { id: unknown } = { id: null };
    shareResults(one);
    expect(await execute({ one })).toContain('"data":{"one":null}');
    one.id = 'a';
    expect(await execute({ one })).toBe('{"data":{"one":{"id":"a"}}}');
  });
});

it('projects a marked value for each place below a list', async () => {
  const execute = await prepare('{ many { made } holder { one { made } } }');
  const one = { id: 'a' };
  shareResults(one);
  for (let time = 0; time < 3; time += 1) await execute({ one, many: [one] });
  // Within one execution it is completed once for the two holders.
  expect(made).toBe(6);
});

it('projects a value that is not marked each time', async () => {
  const execute = await prepare('{ one { made } many { made } }');
  const one = { id: 'a' };
  const many = [one, one];
  for (let time = 0; time < 3; time += 1) await execute({ one, many });
  expect(made).toBe(9);
});

it('takes no notice of a value that is no object', () => {
  for (const value of [undefined, null, 'text', 7]) expect(() => shareResults(value)).not.toThrow();
});

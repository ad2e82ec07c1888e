import { buildSchema, type GraphQLResolveInfo, isObjectType, parse } from 'graphql';
import { expect, it } from 'vitest';
import { ofMembers } from '../src/execution/of-parent.ts';
import { printResult } from '../src/execution/print.ts';
import { Transcript } from '../src/execution/transcript.ts';
import { createExecutor } from '../src/executor.ts';
import { WrittenList } from '../src/written-list.ts';

/** A list that is nothing but its JSON. */
class Written extends WrittenList {
  readonly #json: string;
  readonly placed: { readonly names: readonly string[]; readonly values: Record<string, string> };

  constructor(json: string, names: readonly string[]) {
    super();
    this.#json = json;
    this.placed = { names, values: Object.fromEntries(names.map((name) => [name, 'placed'])) };
  }

  all(): readonly unknown[] {
    const rows: object[] = JSON.parse(this.#json);
    return rows.map((row) => ({ ...row, ...this.placed.values }));
  }

  readWritten<Made>(make: (json: Buffer, start: number) => Made | undefined): Made | undefined {
    return make(Buffer.from(this.#json), 0);
  }
}

const schema = buildSchema(`
  type Query { rows: [Row!]! }
  type Row {
    id: ID!
    name: String
    constructor: String
    greeting(to: String): String
    part: Part
    kind: Kind
    mayLack: Row
    mustNotLack: Row!
    unmarked: Row
  }
  type Part { text: String, length: Int! }
  interface Kind { text: String }
  type One implements Kind { text: String }
`);
const row = schema.getType('Row');
const kind = schema.getType('Kind');
if (!isObjectType(row) || !kind || !('resolveType' in kind)) throw new TypeError('no such types');
kind.resolveType = () => 'One';
const link = ofMembers(['name'], ({ name }: { name?: string }) => ({ id: `of ${name}` }));
const fields = row.getFields();
Object.assign(fields.mayLack ?? {}, { resolve: link });
Object.assign(fields.mustNotLack ?? {}, { resolve: link });
Object.assign(fields.unmarked ?? {}, {
  resolve: (parent: { name?: string }, _: unknown, __: unknown, info: GraphQLResolveInfo) => ({
    id: `${info.fieldName} of ${parent.name}`,
  }),
});

const json = JSON.stringify([
  { id: 'a', name: 'one', part: { text: 'b', length: 1 }, kind: { text: 'c' }, greeting: 'hello' },
  { id: 'b', name: null, part: null },
]);
const noNames: readonly string[] = [];
Object.assign(schema.getQueryType()?.getFields().rows ?? {}, {
  resolve: (_: unknown, __: unknown, placed: readonly string[]) => new Written(json, placed),
});

/** How often a query's list is transcribed, of twice; its text must be the same. */
const run = async (selection: string, names = [noNames, noNames]): Promise<readonly boolean[]> => {
  const execute = createExecutor(schema, { projectAfter: 1 });
  const document = parse(`{ rows { ${selection} } }`);
  const runOnce = async (placed: readonly string[], toBePrinted: boolean) => {
    const result = await execute({ document, toBePrinted, contextValue: placed });
    return { text: printResult(result).json, is: result.data?.rows instanceof Transcript };
  };
  await runOnce(noNames, false);
  const found: boolean[] = [];
  for (const each of names) {
    const { text, is } = await runOnce(each, true);
    expect(text).toBe((await runOnce(each, false)).text);
    found.push(is);
  }
  return found;
};

it.each([
  'id name',
  'name part { text length } again: name',
  '__typename part { __typename more: text }',
  'mayLack { id } name',
  'name other: mayLack { name id } mayLack { id }',
])('transcribes rows { %s }', async (selection) => {
  expect(await run(selection)).toEqual([true, true]);
});

it.each([
  ['what objects inherit', 'id constructor'],
  ['an argument', 'id greeting'],
  ['a resolver that may look at all', 'id unmarked { id }'],
  ['a link that holds up its parent', 'id mustNotLack { id }'],
  ['a type that a resolver tells', 'id kind { text }'],
  ['an object in two ways', 'id part { text } again: part { length }'],
])('leaves %s to the executor', async (_, selection) => {
  expect(await run(selection)).toEqual([false, false]);
});

it('puts into rows what belongs to their list, whatever they hold', async () => {
  const names = ['name'];
  expect(await run('id name mayLack { id }', [names, names])).toEqual([true, true]);
  // A transcriber is made for one kind of rows.
  expect(await run('id name', [names, noNames])).toEqual([true, false]);
});

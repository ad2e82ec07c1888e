import { existsSync } from 'node:fs';
import { isEnumType, Kind, validate } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { createSchema } from '../../src/schema/build.ts';
import { common, type Json, mask, written } from './schema-docs/answers.ts';
import {
  type Example,
  type ExampleRun,
  exampleFiles,
  readExamples,
  runExample,
  secretNames,
} from './schema-docs/examples.ts';
import { anchorOf, firstSentence, prose, table } from './schema-docs/markdown.ts';
import { schemaPage } from './schema-docs/page.ts';
import { membersOf } from './schema-docs/usage.ts';

const schema = createSchema();
const examples = readExamples();
const rootFields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
  Object.keys(type?.getFields() ?? {}),
);

const runs = new Map<Example, ExampleRun>();
const exampleOf = (field: string): readonly [Example, ExampleRun] => {
  const example = examples.find((one) => one.field === field);
  const run = example && runs.get(example);
  if (example && run) return [example, run];
  throw new Error(`${field} has no example: write docs/examples/${field}.graphql`);
};

/** Every value under one of these names, however deep. */
const valuesUnder = (value: Json, names: ReadonlySet<string>): readonly Json[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([name, item]: [string, Json]) => [
        ...(names.has(name) ? [item] : []),
        ...valuesUnder(item, names),
      ]);

beforeAll(async () => {
  for (const example of examples) runs.set(example, await runExample(schema, example));
}, 120_000);

describe('docs/examples', () => {
  it('has one example for each root field, and nothing else', () => {
    expect(examples.map(({ field }) => field).sort()).toEqual([...rootFields].sort());
    const expected = examples.flatMap(({ field, variables }) =>
      variables ? [`${field}.graphql`, `${field}.json`] : [`${field}.graphql`],
    );
    expect(exampleFiles()).toEqual(expected.sort());
  });

  it.each(examples)('$field is valid, and about that field alone', (example) => {
    const { field, purpose, document, variables } = example;
    expect(validate(schema, document)).toEqual([]);
    expect(purpose).toMatch(/^[A-Z].*[.?]$/);
    const [operation, ...others] = document.definitions;
    expect(others).toEqual([]);
    if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation');
    for (const selection of operation.selectionSet.selections) {
      expect(selection).toMatchObject({ kind: Kind.FIELD, name: { value: field } });
    }
    const declared = (operation.variableDefinitions ?? []).map(
      ({ variable }) => variable.name.value,
    );
    expect(Object.keys(variables ?? {})).toEqual(declared);
  });

  it('fails only where that is what it shows', () => {
    const failing = examples.filter((example) => 'errors' in Object(runs.get(example)?.answer));
    expect(failing.map(({ field }) => field)).toEqual(['nodes']);
    const refused = examples.filter((example) =>
      valuesUnder(runs.get(example)?.answer ?? null, new Set(['userErrors'])).some(
        (errors) => Object.keys(Object(errors)).length > 0,
      ),
    );
    expect(refused.map(({ field }) => field)).toEqual(['startPipe', 'updateServiceScaling']);
  });
});

describe('docs/schema.md', () => {
  const page = (): string => schemaPage(schema, exampleOf);
  /** Its lines outside of fenced blocks. */
  const lines = (): readonly string[] =>
    page()
      .replace(/^```[\s\S]*?^```$/gm, '')
      .split('\n');
  const headings = (): readonly string[] =>
    lines().flatMap((line) => /^#+ (.*)$/.exec(line)?.[1] ?? []);

  it('is what schema and examples give', async () => {
    await expect(page()).toMatchFileSnapshot('../../docs/schema.md');
  });

  it('tells no secret', () => {
    const told = examples.flatMap((example) => {
      const names = secretNames(schema, example.document);
      return (runs.get(example)?.bodies ?? []).flatMap((body) => valuesUnder(body, names));
    });
    // The secret of a key and a password, each from two runs.
    expect(new Set(told).size).toBe(4);
    for (const secret of told) expect(page()).not.toContain(secret);
  });

  it('has a heading for each type and root field, no two of them with one anchor', () => {
    const names = Object.keys(schema.getTypeMap()).filter(
      (name) => !/^(__.*|Query|Mutation|String|Int|Float|Boolean|ID)$/.test(name),
    );
    expect(names.length).toBeGreaterThan(80);
    expect(headings()).toEqual(expect.arrayContaining(names));
    expect(new Set(headings().map(anchorOf)).size).toBe(headings().length);
  });

  it('has a row for each field, member, argument and value, below its heading', () => {
    const rows = new Map<string, string[]>();
    let heading = '';
    for (const line of lines()) {
      heading = /^#+ (.*)$/.exec(line)?.[1] ?? heading;
      const name = /^\| `(\w+)` \|/.exec(line)?.[1];
      rows.set(heading, [...(rows.get(heading) ?? []), ...(name === undefined ? [] : [name])]);
    }
    const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);
    for (const type of Object.values(schema.getTypeMap())) {
      if (/^__|^(String|Int|Float|Boolean|ID)$/.test(type.name)) continue;
      if (type === schema.getQueryType() || type === schema.getMutationType()) {
        for (const { name, args } of Object.values(type.getFields())) {
          expect(rows.get(`${type.name}.${name}`)).toEqual(names(args));
        }
      } else {
        const members = isEnumType(type) ? names(type.getValues()) : names(membersOf(type));
        expect(rows.get(type.name), type.name).toEqual(members);
      }
    }
  });

  it('has links that lead somewhere', () => {
    const anchors = new Set(headings().map(anchorOf));
    const links = lines().flatMap((line) => [...line.matchAll(/\]\(#([^)]*)\)/g)]);
    expect(links.length).toBeGreaterThan(400);
    expect(links.map(([, anchor = '']) => anchor).filter((anchor) => !anchors.has(anchor))).toEqual(
      [],
    );
  });

  it('names files that are there', () => {
    const files = lines().flatMap((line) => [...line.matchAll(/\]\(([^#)]+)(#[^)]*)?\)/g)]);
    expect(files.map(([, file]) => file)).toContain('../schema.graphql');
    for (const [, file = ''] of files) {
      expect(existsSync(new URL(file, new URL('../../docs/', import.meta.url))), file).toBe(true);
    }
  });

  it('has whole tables, fences and spans of code', () => {
    expect(page().match(/^```/gm)?.length).toBe(2 * (page().match(/^```\w+$/gm)?.length ?? 0));
    const cells = (line: string): number => line.split(/(?<!\\)\|/).length;
    lines().forEach((line, index, all) => {
      expect(line.split('`').length % 2, line).toBe(1);
      const above = all[index - 1] ?? '';
      if (line.startsWith('|') && above.startsWith('|'))
        expect(cells(line), line).toBe(cells(above));
    });
  });
});

describe('an answer in the document', () => {
  it.each<[string, Json, Json, Json]>([
    [
      'keeps what both runs show',
      { a: [1, 'b', null, true] },
      { a: [1, 'b', null, true] },
      { a: [1, 'b', null, true] },
    ],
    ['masks what differs', { a: [1, 'b'] }, { a: [2, 'c'] }, { a: [mask, mask] }],
    [
      'masks a secret that does not differ',
      { secret: 'x', a: 1 },
      { secret: 'x', a: 1 },
      { secret: mask, a: 1 },
    ],
    ['shows that there is no secret', { secret: null }, { secret: null }, { secret: null }],
  ])('%s', (_, first, second, shown) => {
    expect(common(first, second, new Set(['secret']))).toEqual(shown);
  });

  it.each<[Json, Json]>([
    [[1], [1, 2]],
    [{ a: 1 }, { b: 1 }],
    [{ a: 1 }, { a: null }],
    [{ a: null }, { a: 1 }],
    [{ a: [] }, { a: {} }],
    [{ a: {} }, { a: 'b' }],
    [{ a: 'b' }, { a: {} }],
  ])('needs runs of one shape: %j and %j are not', (first, second) => {
    expect(() => common(first, second, new Set())).toThrow('differ in shape');
  });

  it('is JSON, on one line where that fits', () => {
    const value = { short: { a: [1, '[ "x" ]', {}] }, long: [{ text: 'y'.repeat(90) }, null, []] };
    expect(JSON.parse(written(value))).toEqual(value);
    expect(written(value)).toBe(
      [
        '{',
        '  "short": { "a": [1, "[ \\"x\\" ]", {}] },',
        '  "long": [',
        '    {',
        `      "text": "${'y'.repeat(90)}"`,
        '    },',
        '    null,',
        '    []',
        '  ]',
        '}',
      ].join('\n'),
    );
  });
});

describe('Markdown', () => {
  it('keeps a cell in its place', () => {
    expect(table(['a'], [['one | two\nthree']])).toEqual(['| a |\n| --- |\n| one \\| two three |']);
    expect(table(['a'], [])).toEqual([]);
  });

  it('takes words for words, and only backticks for code', () => {
    expect(prose('2 * 3 < `a * b` [c]', (code) => `<${code}>`)).toBe(
      '2 \\* 3 &lt; <a * b> \\[c\\]',
    );
  });

  it.each([
    ['One pipe. Another.', 'One pipe.'],
    ['Columns, e.g. two, of\none table. Another.', 'Columns, e.g. two, of one table.'],
    ['No end\n\nand more.', 'No end'],
  ])('finds the first sentence of %j', (text, sentence) => {
    expect(firstSentence(text)).toBe(sentence);
  });
});

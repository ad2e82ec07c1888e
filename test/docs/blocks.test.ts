import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { hashOf } from '../../src/documents/literals.ts';
import { createSchema } from '../../src/gateway/schema.ts';
import { type Block, blocks, compiled, generated } from '../support/docs/blocks.ts';
import { firstCells, read, table } from '../support/docs/pages.ts';
import { commandsOf, requestOf, runElsewhere, settingsOf } from '../support/docs/shell.ts';
import { paced, startSandboxStack } from '../support/harness.ts';
import { printedBy, startDemo } from '../support/process/demo.ts';

const root = new URL('../../', import.meta.url);
const isThere = (path: string): boolean => existsSync(new URL(path, root));

const isPath = (word: string): boolean => /^[\w.@-]+(\/[\w.@-]*)*$/.test(word) && isThere(word);
const firstWord = (text: string): string => text.split(/\s/)[0] ?? '';

/** What is done with each kind of block. The first rule that takes a block is the one. */
const rules = {
  'is run by the test that it names': ({ conditions }) => conditions['run-by'] !== undefined,
  'is a part of its file': ({ conditions }) => conditions.from !== undefined,
  'answers as shown': ({ language, answer }) => language === 'graphql' && answer !== undefined,
  'is a request that is answered as shown': ({ language, text, answer }) =>
    language === 'sh' && text.startsWith('curl ') && answer !== undefined,
  'is such an answer': ({ answers }) => answers !== undefined,
  'is what the log has': ({ language, conditions }) =>
    language === 'json' && conditions.log !== undefined,
  'is what GET answers': ({ language, conditions }) =>
    language === 'json' && conditions.get !== undefined,
  'is a request that names an operation': ({ language, conditions }) =>
    language === 'json' && conditions.persisted !== undefined,
  'has settings that the gateway takes': ({ language, text }) =>
    language === 'sh' && /^(export )?[A-Z_]+=\S+|^docker run/m.test(text),
  'is run elsewhere': ({ language, text }) =>
    language === 'sh' && commandsOf(text).every((line) => elsewhere(line) !== undefined),
  'is compiled': (block) => compiled.includes(block),
  'is generated from': (block) => generated.includes(block),
  'is a tree of the schema': ({ language, text }) => language === 'text' && text.includes('├──'),
  'names files': ({ language, text }) =>
    language === 'mermaid' || (language === 'text' && isPath(firstWord(text))),
} as const satisfies Readonly<Record<string, (block: Block) => boolean>>;

/** What else runs a line; the benchmark's options are its own. */
const elsewhere = (line: string) =>
  runElsewhere[line.startsWith('npm run bench ') ? 'npm run bench' : line];

type Rule = keyof typeof rules;
const names = Object.keys(rules) as Rule[];
const ruleOf = (block: Block): Rule | undefined => names.find((name) => rules[name](block));

/** The blocks of a rule, as rows for `it.each`. */
const under = (rule: Rule) =>
  blocks
    .filter((block) => ruleOf(block) === rule)
    .map((block) => ({ ...block, at: `${block.page}:${block.line}`, rule }));

const anyScalar = expect.toSatisfy(
  (value: unknown) => typeof value === 'string' || typeof value === 'number',
);

/** `"…"` in JSON stands for any string or number. */
const expected = (json: string | undefined): unknown =>
  JSON.parse(json ?? 'null', (_, value) => (value === '…' ? anyScalar : value));

const headersOf = ({ conditions }: Block): Record<string, string> => {
  const [name, value] = conditions.with?.split('=') ?? [];
  return {
    ...(conditions.without !== undefined && { [conditions.without]: '' }),
    ...(name !== undefined && value !== undefined && { [name]: value }),
  };
};

const open = async (config = {}) => {
  const stack = await startSandboxStack({
    config: { ...paced, ...config },
    sandbox: { limits: true },
  });
  onTestFinished(() => stack.close());
  return stack;
};

describe('each block of the documentation', () => {
  it('has a rule that tests it', () => {
    const without = blocks.filter((block) => ruleOf(block) === undefined);
    expect(without.map(({ page, line, language }) => `${page}:${line} ${language}`)).toEqual([]);
  });

  it('is found', () => {
    const unused = names.filter((name) => under(name).length === 0);
    expect(unused).toEqual([]);
  });

  it.each(under('answers as shown'))('$at $rule, for as many calls', async (block) => {
    const stack = await open();
    const { body } = await stack.query(block.text, { headers: headersOf(block) });
    expect(body).toStrictEqual(expected(block.answer));
    expect(stack.callList()).toHaveLength(Number(block.conditions.calls));
  });

  it.each(under('is a request that is answered as shown'))('$at $rule', async (block) => {
    const stack = await open();
    const { management, observability } = stack.sandbox.credentials;
    const request = await requestOf(block.text, stack.url, {
      KEY_ID: management.admin.keyId,
      KEY_SECRET: management.admin.keySecret,
      TOKEN: observability.main.token,
    });
    const response = await fetch(request);
    expect(await response.json()).toStrictEqual(expected(block.answer));
    expect(stack.callList()).toHaveLength(Number(block.conditions.calls));
  });

  it.each(under('is what the log has'))('$at $rule of that operation', async (block) => {
    const stack = await open();
    await stack.query(block.conditions.log ?? '');
    expect(JSON.parse(stack.log().trim())).toStrictEqual(expected(block.text));
  });

  it.each(under('is what GET answers'))('$at $rule', async (block) => {
    const stack = await open();
    const response = await fetch(new URL(block.conditions.get ?? '', stack.url));
    expect(await response.json()).toStrictEqual(expected(block.text));
  });

  it.each(under('is a request that names an operation'))('$at $rule', async (block) => {
    const text = block.conditions.persisted ?? '';
    const file = join(mkdtempSync(join(tmpdir(), 'sluice-docs-')), 'manifest.json');
    writeFileSync(file, JSON.stringify({ [hashOf(text)]: text }));
    const stack = await open({ persistedOperations: 'only', persistedOperationsFile: file });
    const { management } = stack.sandbox.credentials;
    const response = await fetch(stack.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'management-authorization': management.admin.header,
      },
      body: block.text.replace('<hash>', hashOf(text)),
    });
    expect(await response.json()).toEqual({ data: expect.anything() });
  });

  it.each(under('is run by the test that it names'))('$at $rule', ({ conditions }) => {
    expect(read(conditions['run-by'] ?? '')).toContain("conditions['run-by']");
  });

  it.each(under('is a part of its file'))('$at $rule', ({ text, conditions }) => {
    expect(read(conditions.from ?? '')).toContain(text);
  });

  it.each(under('has settings that the gateway takes'))('$at $rule', async ({ text }) => {
    const settings = await settingsOf(text);
    expect(settings).not.toEqual({});
    const urls = { MANAGEMENT_URL: 'http://a.example', OBSERVABILITY_URL: 'http://b.example' };
    expect(readConfig({ ...urls, ...settings })).toHaveProperty(
      'port',
      Number(settings.PORT ?? 4000),
    );
    const known = firstCells(table(read('docs/operating.md'), 'Variable', 'Default'));
    const unknown = Object.keys(settings).filter((name) => !known.includes(name));
    expect(unknown.filter((name) => !name.startsWith('OTEL_'))).toEqual([]);
  });

  it.each(under('is run elsewhere'))('$at $rule, in a file that has its words', ({ text }) => {
    for (const line of commandsOf(text)) {
      const [file = '', words] = elsewhere(line) ?? [];
      expect(read(file), line).toContain(words);
    }
  });

  it.each(under('is a tree of the schema'))('$at $rule, of all fields of Query', ({ text }) => {
    const schema = createSchema();
    const types = Object.values(schema.getTypeMap());
    const fields = types.flatMap((type) =>
      'getFields' in type ? Object.keys(type.getFields()) : [],
    );
    const tree = text.replaceAll(/\(.*?\)|: \w+|^\w+$|anything with a/gm, '');
    const named: readonly string[] = tree.match(/\b[a-z]\w+/g) ?? [];
    expect(named.filter((name) => !fields.includes(name))).toEqual([]);
    const roots = Object.keys(schema.getQueryType()?.getFields() ?? {});
    expect(roots.filter((name) => !named.includes(name))).toEqual([]);
  });

  it.each(under('names files'))('$at $rule that exist', ({ language, text }) => {
    const inDiagram = text.match(/\bsrc\/[\w/.-]*/g) ?? [];
    const paths = language === 'mermaid' ? inDiagram : text.trimEnd().split('\n').map(firstWord);
    expect(paths.filter((path) => !isThere(path))).toEqual([]);
  });
});

it('the first request of docs/clients.md is the one that the demo prints', async () => {
  const isRequest = ({ page, text }: Block) =>
    page === 'docs/clients.md' && text.startsWith('curl ');
  const line = /^curl .*$/m.exec(await printedBy(startDemo()))?.[0];
  const expectedLine = blocks.find(isRequest)?.text.trim();
  expect(line?.replace(/:\d+\/graphql/, ':4000/graphql')).toBe(expectedLine);
});

import { existsSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { settings as known } from '../../src/config/settings.ts';
import { readConfig } from '../../src/config.ts';
import { hashOf } from '../../src/documents/literals.ts';
import { createSchema } from '../../src/gateway/schema.ts';
import { type Block, blocks } from '../support/docs/blocks.ts';
import { compiled, generated } from '../support/docs/code.ts';
import { withManifest } from '../support/docs/manifest.ts';
import { read } from '../support/docs/pages.ts';
import { commandsOf, requestOf, runElsewhere, settingsOf } from '../support/docs/shell.ts';
import { paced, startSandboxStack } from '../support/harness.ts';

const root = new URL('../../', import.meta.url);
const isThere = (path: string): boolean => existsSync(new URL(path, root));

const isPath = (word: string): boolean => /^[\w.@-]+(\/[\w.@-]*)*$/.test(word) && isThere(word);
const firstWord = (text: string): string => text.split(/\s/)[0] ?? '';

/** What is done with each kind of block. The first rule that takes a block is the one. */
const rules = {
  'is run by the test that it names': ({ conditions }) => conditions['run-by'] !== undefined,
  'is a part of its file': ({ conditions }) => conditions.from !== undefined,
  'is a part of that JSON': ({ conditions }) => conditions['part-of'] !== undefined,
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
    language === 'sh' && /\b[A-Z_]+=\S+/.test(text) && !text.startsWith('PORT='),
  'runs a test': ({ language, text }) => language === 'sh' && text.startsWith('npx vitest run '),
  'is run elsewhere': ({ language, text }) =>
    language === 'sh' && commandsOf(text).every((line) => elsewhere(line) !== undefined),
  'is compiled': (block) => compiled.includes(block),
  'is generated from': (block) => generated.includes(block),
  'is a list of paths': ({ language, text }) => language === 'text' && isPath(firstWord(text)),
  'is a tree of the schema': ({ language, text }) => language === 'text' && text.includes('├──'),
  'is a diagram': ({ language }) => language === 'mermaid',
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
    const file = await withManifest({ [hashOf(text)]: text });
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

  it.each(under('is a part of that JSON'))('$at $rule', ({ text, conditions }) => {
    expect(JSON.parse(read(conditions['part-of'] ?? ''))).toMatchObject(JSON.parse(text));
  });

  it.each(under('has settings that the gateway takes'))('$at $rule', async ({ text }) => {
    const settings = await settingsOf(text);
    expect(settings).not.toEqual({});
    const urls = { MANAGEMENT_URL: 'http://a.example', OBSERVABILITY_URL: 'http://b.example' };
    expect(readConfig({ ...urls, ...settings })).toHaveProperty('port', 4000);
    const variables = Object.values(known).map(({ name }) => name);
    const own = Object.keys(settings).filter((name) => !name.startsWith('OTEL_'));
    expect(own.filter((name) => !variables.includes(name))).toEqual([]);
  });

  it.each(under('runs a test'))(
    '$at $rule that exists, with options that it is for',
    ({ text }) => {
      const [, , , ...words] = text.trim().split(/\s+/);
      const [file = '', ...others] = words.filter((word) => !word.startsWith('--'));
      expect([file, others]).toEqual([expect.stringMatching(/^test\/.*\.test\.ts$/), []]);
      expect(read(file)).toMatch(/^(it|describe)\w*[.(]/m);
      for (const option of words.filter((word) => word !== file)) {
        expect(['--maxWorkers=1', '--update']).toContain(option);
        if (option === '--update') expect(read(file)).toContain('toMatchFileSnapshot');
      }
    },
  );

  it.each(under('is run elsewhere'))('$at $rule, in a file that has its words', ({ text }) => {
    for (const line of commandsOf(text)) {
      const { file = '', words = [] } = elsewhere(line) ?? {};
      expect(words, line).not.toEqual([]);
      for (const word of words) expect(read(file), line).toContain(word);
    }
  });

  it.each(under('is a list of paths'))('$at $rule, all of which exist', ({ text }) => {
    const paths = text.trimEnd().split('\n').map(firstWord);
    expect(paths.filter((path) => !isThere(path))).toEqual([]);
  });

  it.each(under('is a tree of the schema'))('$at $rule, of all fields of Query', ({ text }) => {
    const schema = createSchema();
    const fields = Object.values(schema.getTypeMap()).flatMap((type) =>
      'getFields' in type ? Object.keys(type.getFields()) : [],
    );
    const words = (line: string): readonly string[] =>
      line.replaceAll(/\(.*?\)|: \w+|▲|anything with a .*?(?= {2})/g, '').match(/\b[a-z]\w+/g) ??
      [];
    const trees = text.split('\n').filter((line) => /[├└]──| {2}/.test(line));
    const named = trees.flatMap(words);
    expect(named.filter((name) => !fields.includes(name))).toEqual([]);
    const roots = Object.keys(schema.getQueryType()?.getFields() ?? {});
    expect(roots.filter((name) => !named.includes(name))).toEqual([]);
  });

  it.each(under('is a diagram'))('$at $rule of files that exist', ({ text }) => {
    const paths = text.match(/\bsrc\/[\w/.-]*/g) ?? [];
    expect(paths.filter((path) => !isThere(path))).toEqual([]);
  });
});

import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { hashOf } from '../../src/documents/literals.ts';
import { createSchema } from '../../src/gateway/schema.ts';
import { type Block, blocks, compiled } from '../support/docs/blocks.ts';
import { firstCells, read, table } from '../support/docs/pages.ts';
import { paced, startSandboxStack } from '../support/harness.ts';
import { printedBy, startDemo } from '../support/process/demo.ts';
import { commandsOf, requestOf, runElsewhere, settingsOf } from './shell.ts';

const isThere = (path: string): boolean => existsSync(new URL(`../../${path}`, import.meta.url));
const firstWord = (text: string): string => text.split(/\s/)[0] ?? '';

/** Where a line is run instead; the benchmark's options are its own. */
const elsewhere = (line: string) =>
  runElsewhere[line.startsWith('npm run bench ') ? 'npm run bench' : line];

const anyScalar = expect.toSatisfy(
  (value: unknown) => typeof value === 'string' || typeof value === 'number',
);

/** `"…"` in JSON stands for any string or number. */
const expected = (json = 'null'): unknown =>
  JSON.parse(json, (_, value) => (value === '…' ? anyScalar : value));

const open = async (config = {}) => {
  const limited = { config: { ...paced, ...config }, sandbox: { limits: true } };
  const stack = await startSandboxStack(limited);
  onTestFinished(() => stack.close());
  return stack;
};

type Rule = readonly [
  name: string,
  takes: (block: Block) => boolean,
  test: (block: Block) => unknown,
];

/** What is done with each kind of block. The first rule that takes a block is the one. */
const rules: readonly Rule[] = [
  [
    'is run by the test that it names',
    ({ conditions }) => conditions['run-by'] !== undefined,
    ({ conditions }) => expect(read(conditions['run-by'] ?? '')).toContain("conditions['run-by']"),
  ],
  [
    'is a part of its file',
    ({ conditions }) => conditions.from !== undefined,
    ({ text, conditions }) => expect(read(conditions.from ?? '')).toContain(text),
  ],
  [
    'answers as shown, for as many calls',
    ({ language, answer }) => language === 'graphql' && answer !== undefined,
    async ({ text, answer, conditions }) => {
      const stack = await open();
      const [name, value = ''] = conditions.with?.split('=') ?? [];
      const headers = name === undefined ? {} : { [name]: value };
      const { body } = await stack.query(text, { headers });
      expect(body).toStrictEqual(expected(answer));
      expect(stack.callList()).toHaveLength(Number(conditions.calls));
    },
  ],
  [
    'is a request that is answered as shown',
    ({ language, text, answer }) =>
      language === 'sh' && text.startsWith('curl ') && answer !== undefined,
    async ({ text, answer, conditions }) => {
      const stack = await open();
      const { management, observability } = stack.sandbox.credentials;
      const { keyId: KEY_ID, keySecret: KEY_SECRET } = management.admin;
      const TOKEN = observability.main.token;
      const request = await requestOf(text, stack.url, { KEY_ID, KEY_SECRET, TOKEN });
      expect(await (await fetch(request)).json()).toStrictEqual(expected(answer));
      expect(stack.callList()).toHaveLength(Number(conditions.calls));
    },
  ],
  ['is such an answer', ({ isAnswer }) => isAnswer, () => undefined],
  [
    'is what the log has of that operation',
    ({ conditions }) => conditions.log !== undefined,
    async ({ text, conditions }) => {
      const stack = await open();
      await stack.query(conditions.log ?? '');
      expect(JSON.parse(stack.log().trim())).toStrictEqual(expected(text));
    },
  ],
  [
    'is what GET answers',
    ({ conditions }) => conditions.get !== undefined,
    async ({ text, conditions }) => {
      const stack = await open();
      const response = await fetch(new URL(conditions.get ?? '', stack.url));
      expect(await response.json()).toStrictEqual(expected(text));
    },
  ],
  [
    'is a request that names an operation',
    ({ conditions }) => conditions.persisted !== undefined,
    async ({ text, conditions: { persisted = '' } }) => {
      const file = join(mkdtempSync(join(tmpdir(), 'sluice-docs-')), 'manifest.json');
      writeFileSync(file, JSON.stringify({ [hashOf(persisted)]: persisted }));
      const stack = await open({ persistedOperations: 'only', persistedOperationsFile: file });
      const authorization = stack.sandbox.credentials.management.admin.header;
      const headers = { 'content-type': 'application/json', authorization };
      const body = text.replace('<hash>', hashOf(persisted));
      const response = await fetch(stack.url, { method: 'POST', headers, body });
      expect(await response.json()).toEqual({ data: expect.anything() });
    },
  ],
  [
    'has settings that the gateway takes',
    ({ language, text }) => language === 'sh' && /^(export )?[A-Z_]+=\S+|^docker run/m.test(text),
    async ({ text }) => {
      const settings = await settingsOf(text);
      expect(settings).not.toEqual({});
      const isOneTree = settings.OBSERVABILITY_PROFILE === 'clickstack-cloud';
      const urls = {
        MANAGEMENT_URL: 'http://a.example',
        ...(!isOneTree && { OBSERVABILITY_URL: 'http://b.example' }),
      };
      expect(readConfig({ ...urls, ...settings }).port).toBe(Number(settings.PORT ?? 4000));
      const known = firstCells(table(read('docs/operating.md'), 'Variable', 'Default'));
      const unknown = Object.keys(settings).filter((name) => !known.includes(name));
      expect(unknown.filter((name) => !name.startsWith('OTEL_'))).toEqual([]);
    },
  ],
  [
    'is run elsewhere, in a file that has its words',
    ({ language, text }) =>
      language === 'sh' && commandsOf(text).every((line) => elsewhere(line) !== undefined),
    ({ text }) => {
      for (const line of commandsOf(text)) {
        const [file = '', words] = elsewhere(line) ?? [];
        expect(read(file), line).toContain(words);
      }
    },
  ],
  // By test/docs/code.test.ts.
  ['is compiled', (block) => compiled.includes(block), () => undefined],
  [
    'is a tree of the schema, of all fields of Query',
    ({ language, text }) => language === 'text' && text.includes('├──'),
    ({ text }) => {
      const schema = createSchema();
      const types = Object.values(schema.getTypeMap());
      const fields = types.flatMap((type) =>
        'getFields' in type ? Object.keys(type.getFields()) : [],
      );
      const tree = text.replaceAll(
        /\(.*?\)|: \w+|^\w+$|anything with a|what this gateway can do/gm,
        '',
      );
      const named: readonly string[] = tree.match(/\b[a-z]\w+/g) ?? [];
      expect(named.filter((name) => !fields.includes(name))).toEqual([]);
      const roots = Object.keys(schema.getQueryType()?.getFields() ?? {});
      expect(roots.filter((name) => !named.includes(name))).toEqual([]);
    },
  ],
  [
    'names files that exist',
    ({ language, text }) =>
      language === 'mermaid' ||
      (language === 'text' && /^[\w.@/-]+$/.test(firstWord(text)) && isThere(firstWord(text))),
    ({ language, text }) => {
      const inDiagram = text.match(/\bsrc\/[\w/.-]*/g) ?? [];
      const paths = language === 'mermaid' ? inDiagram : text.trimEnd().split('\n').map(firstWord);
      expect(paths.filter((path) => !isThere(path))).toEqual([]);
    },
  ],
];

const rows = blocks.map((block) => {
  const rule = rules.find(([, takes]) => takes(block));
  const { page, line, language } = block;
  return { at: `${page}:${line} ${language}`, name: rule?.[0], test: rule?.[2], block };
});

it.each(rows)('$at $name', async ({ name, test, block }) => {
  // Each block has a rule that tests it.
  expect(name).toBeDefined();
  await test?.(block);
});

it('each rule has a block', () => {
  const used = rows.map(({ name }) => name);
  expect(rules.map(([name]) => name).filter((name) => !used.includes(name))).toEqual([]);
});

it('the first request of docs/clients.md is the one that the demo prints', async () => {
  const isRequest = ({ page, text }: Block) =>
    page === 'docs/clients.md' && text.startsWith('curl ');
  const line = /^curl .*$/m.exec(await printedBy(startDemo()))?.[0];
  const expectedLine = blocks.find(isRequest)?.text.trim();
  expect(line?.replace(/:\d+\/graphql/, ':4000/graphql')).toBe(expectedLine);
});

import '../../support/client/built.ts';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../../support/client/folder.ts';
import { read } from '../../support/docs/pages.ts';
import { startSandboxStack } from '../../support/harness.ts';
import { run } from '../../support/process/run-main.ts';

const unwanted = ['generated', '__generated__', 'node_modules', 'dist'];

/** What an example consists of, by its path in its folder. */
const textsOf = async (folder: string): Promise<ReadonlyMap<string, string>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .filter((path) => !path.split('/').some((part) => unwanted.includes(part)));
  const texts = paths.map(
    async (path) => [path, await readFile(join(folder, path), 'utf8')] as const,
  );
  return new Map(await Promise.all(texts));
};

describe.each([
  { name: 'console', schemaIn: ['codegen.yml'] },
  { name: 'urql', schemaIn: ['codegen.yml', 'must-not-generate/codegen.yml'] },
  { name: 'gql-tada', schemaIn: ['scripts/schema-url.ts'] },
  { name: 'relay', schemaIn: ['must-not-generate/relay.config.json', 'relay.config.json'] },
])('the example $name, taken out of the repository', ({ name, schemaIn }) => {
  const folder = join(root, 'examples', name);

  it('checks after the steps of examples/README.md', async () => {
    const parent = await mkdtemp(join(tmpdir(), `${name}-copy-`));
    onTestFinished(() => rm(parent, { recursive: true }));
    const copy = join(parent, name);
    const isWanted = (path: string): boolean => !unwanted.includes(basename(path));
    await cp(folder, copy, { recursive: true, filter: isWanted });
    await cp(join(root, 'schema.graphql'), join(copy, 'schema.graphql'));
    // It starts the console beside a sandbox of this repository.
    await rm(join(copy, 'start.ts'), { force: true });
    for (const path of schemaIn) {
      if (name !== 'console') expect(read('examples/README.md')).toContain(`\`${path}\``);
      const text = await readFile(join(copy, path), 'utf8');
      expect(text).toContain('../../schema.graphql');
      await writeFile(join(copy, path), text.replace('../../schema.graphql', 'schema.graphql'));
    }
    // In place of `npm ci`, which needs the network.
    await symlink(join(folder, 'node_modules'), join(copy, 'node_modules'));
    // Nothing of the tests' own environment, which changes what programs print.
    const env = { PATH: process.env.PATH, HOME: process.env.HOME };
    await promisify(execFile)('npm', ['run', 'check'], { cwd: copy, env });
    for (const [path, text] of await textsOf(copy))
      expect(text, path).not.toContain('../../schema');
  });

  it('names every package that it imports', async () => {
    const texts = await textsOf(folder);
    const { dependencies, devDependencies } = JSON.parse(texts.get('package.json') ?? '');
    const named = { ...dependencies, ...devDependencies };
    const code = [...texts].filter(([path]) => dirname(path) !== '.').map(([, text]) => text);
    const imports =
      /(?:from |^import |import\.meta\.resolve\()'((?:@[^'/]+\/)?[^'./][^'/]*)[^']*'/gm;
    const imported = code.flatMap((text) => [...text.matchAll(imports)].map(([, of = '']) => of));
    const packages = new Set(imported.filter((of) => !of.startsWith('node:')));
    expect(packages.size).toBeGreaterThan(0);
    expect([...packages].filter((each) => !(each in named))).toEqual([]);
  });
});

describe('the program of examples/gql-tada', () => {
  const program = [process.execPath, 'examples/gql-tada/src/main.ts'] as const;

  it('prints both trees, names what failed, and says when the gateway is gone', async () => {
    const stack = await startSandboxStack();
    const env = { SLUICE_URL: stack.url };
    const whole = await run(env, program).ended;
    expect(whole).toMatchObject({ code: 0, errors: '' });
    expect(whole.text).toMatch(/^Northwind Analytics\n {2}\S.*, since \d{4}-/);
    expect(whole.text).toMatch(/^ {4}clickstream: Running/m);
    expect(whole.text).toMatch(/^ {4}API latency: \w+, fires above 800$/m);
    const half = await run({ ...env, OBSERVABILITY_AUTHORIZATION: 'Bearer wrong' }, program).ended;
    expect(half.text).toMatch(/^Northwind Analytics$/m);
    expect(half.errors).toMatch(/^dashboards: UNAUTHENTICATED: /);
    await stack.close();
    const errors = `No gateway answers at ${stack.url}: run "npm run demo" at the root, or set SLUICE_URL.\n`;
    expect(await run(env, program).ended).toMatchObject({ code: 1, text: '', errors });
  });
});

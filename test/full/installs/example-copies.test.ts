import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const run = promisify(execFile);

const unwanted = ['generated', '__generated__', 'node_modules'];

/** What an example consists of, by its path in its folder. */
const textsOf = async (folder: string): Promise<ReadonlyMap<string, string>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .filter(
      (path) =>
        !dirname(path)
          .split('/')
          .some((part) => unwanted.includes(part)),
    );
  return new Map(
    await Promise.all(
      paths.map(async (path) => [path, await readFile(join(folder, path), 'utf8')] as const),
    ),
  );
};

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

describe.each([
  { name: 'urql', schemaIn: ['codegen.yml', 'must-not-generate/codegen.yml'] },
  { name: 'gql-tada', schemaIn: ['scripts/schema-url.ts'] },
  { name: 'relay', schemaIn: ['must-not-generate/relay.config.json', 'relay.config.json'] },
])('the example $name, taken out of the repository', ({ name, schemaIn }) => {
  const folder = join(root, 'examples', name);

  it('checks after the steps of examples/README.md', async () => {
    const copy = await mkdtemp(join(tmpdir(), `${name}-copy-`));
    onTestFinished(() => rm(copy, { recursive: true }));
    await cp(folder, copy, {
      recursive: true,
      filter: (path) => !unwanted.includes(basename(path)),
    });
    await cp(join(root, 'schema.graphql'), join(copy, 'schema.graphql'));
    const readme = await readFile(join(root, 'examples/README.md'), 'utf8');
    for (const path of schemaIn) {
      expect(readme).toContain(`\`${path}\``);
      const text = await readFile(join(copy, path), 'utf8');
      expect(text).toContain('../../schema.graphql');
      await writeFile(join(copy, path), text.replace('../../schema.graphql', 'schema.graphql'));
    }
    // In place of `npm ci`, which needs the network.
    const modules = join(folder, 'node_modules');
    await symlink(modules, join(copy, 'node_modules'));

    const { scripts } = JSON.parse(await readFile(join(copy, 'package.json'), 'utf8'));
    const env = { PATH: `${join(modules, '.bin')}:${process.env.PATH}` };
    const check = scripts.check.replace('npm run generate', scripts.generate);
    await run('sh', ['-c', check], { cwd: copy, env });
    for (const [path, text] of await textsOf(copy)) expect(text, path).not.toContain('../../');
  });

  it('names every package that it imports', async () => {
    const texts = await textsOf(folder);
    const { devDependencies } = JSON.parse(texts.get('package.json') ?? '');
    const imported = [...texts.values()].flatMap((text) =>
      [...text.matchAll(/(?:from |^import |import\.meta\.resolve\()'([^'.][^']*)'/gm)].flatMap(
        ([, specifier = '']) =>
          specifier.startsWith('node:') || builtinModules.includes(specifier)
            ? []
            : [packageOf(specifier)],
      ),
    );
    expect(imported.length).toBeGreaterThan(0);
    const missing = imported.filter((specifier) => !(specifier in devDependencies));
    expect([...new Set(missing)]).toEqual([]);
  });
});

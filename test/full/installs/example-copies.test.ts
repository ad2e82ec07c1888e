import '../../support/client/built.ts';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { root } from '../../support/client/folder.ts';
import { read } from '../../support/docs/pages.ts';
import { startSandboxStack } from '../../support/harness.ts';
import { run } from '../../support/process/run-main.ts';

const unwanted = ['generated', '__generated__', 'node_modules', 'dist'];

it.each([
  { name: 'console', schemaIn: ['codegen.yml'] },
  { name: 'urql', schemaIn: ['codegen.yml', 'must-not-generate/codegen.yml'] },
  { name: 'gql-tada', schemaIn: ['scripts/schema-url.ts'] },
  { name: 'relay', schemaIn: ['must-not-generate/relay.config.json', 'relay.config.json'] },
])(
  'the example $name, taken out of the repository, checks after the steps of examples/README.md',
  async ({ name, schemaIn }) => {
    const folder = join(root, 'examples', name);
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
    const find = ['-rlF', '../../schema', '--exclude-dir=node_modules', '.'];
    const found = promisify(execFile)('grep', find, { cwd: copy });
    await expect(found, 'none but those that are named').rejects.toMatchObject({ code: 1 });
  },
);

it('the program of examples/gql-tada prints both trees, names what failed, and says when the gateway is gone', async () => {
  const program = [process.execPath, 'examples/gql-tada/src/main.ts'] as const;
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

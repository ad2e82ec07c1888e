import '../../support/client/built.ts';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));

it('the console is generated, compiled and built outside of this repository', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'console-copied-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const copy = join(folder, 'console');
  await cp(join(root, 'examples/console'), copy, {
    recursive: true,
    filter: (path) => !/console\/(src\/generated|dist|node_modules)$/.test(path),
  });
  // In the place of the installation, the client's package among it.
  await symlink(
    join(root, 'examples/console/node_modules'),
    join(copy, 'node_modules'),
    'junction',
  );
  await cp(join(root, 'schema.graphql'), join(copy, 'schema.graphql'));
  await rm(join(copy, 'start.ts'));
  const codegen = join(copy, 'codegen.yml');
  const config = await readFile(codegen, 'utf8');
  await writeFile(codegen, config.replace('../../schema.graphql', 'schema.graphql'));

  const wrong = await run('npm', ['run', 'check'], { cwd: copy }).then(
    () => '',
    (failure: { readonly stdout: string }) => failure.stdout,
  );
  expect(wrong).toBe('');
  expect(await readFile(join(copy, 'dist/index.html'), 'utf8')).toContain('Sluice console');
});

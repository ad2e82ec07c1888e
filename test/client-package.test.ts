import './client-built.ts';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startSandboxStack } from './harness.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(`${root}client/README.md`, 'utf8');

it("the README's example, as its user would run it, reads a pipe of the demo", async () => {
  const [, example = ''] = readme.match(/^```ts\n([\s\S]*?)^```$/m) ?? [];
  expect(example).toContain('http://127.0.0.1:4000/graphql');
  const stack = await startSandboxStack();
  const code = example.replace('http://127.0.0.1:4000/graphql', stack.url);
  const { stdout, stderr } = await run(
    process.execPath,
    ['--input-type=module-typescript', '--eval', code],
    { cwd: root },
  );
  await stack.close();
  expect({ stdout, stderr }).toEqual({ stdout: 'clickstream Running\n', stderr: '' });
});

it('every entry of the package has its code and its types', async () => {
  const { exports, files } = JSON.parse(readFileSync(`${root}client/package.json`, 'utf8'));
  const entries = Object.entries(exports).filter(([name]) => name !== './package.json');
  expect(entries.map(([name]) => name)).toEqual(['.', './operations', './apollo']);
  for (const entry of entries) {
    const { types, default: code } = entry[1] as Readonly<Record<'types' | 'default', string>>;
    expect(files).toContain(code.split('/')[1]);
    expect(readFileSync(`${root}client/${types}`, 'utf8')).toContain('export');
    expect(Object.keys(await import(`${root}client/${code}`))).not.toEqual([]);
  }
});

it('the declarations name no other package', () => {
  for (const name of ['index', 'client', 'error', 'apollo', 'generated/operations']) {
    const text = readFileSync(`${root}client/dist/${name}.d.ts`, 'utf8');
    const specifiers = [...text.matchAll(/(?:from|import\() ?'([^']*)'/g)].map(([, from]) => from);
    for (const specifier of specifiers) expect(specifier).toMatch(/^\.\.?\//);
  }
});

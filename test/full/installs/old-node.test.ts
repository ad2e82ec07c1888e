import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../support/client/folder.ts';
import { read } from '../../support/docs/pages.ts';
import { run } from '../../support/process/run-main.ts';

/** The scripts of the examples that run TypeScript with Node, but for the console's, which begins with src/preload.js. */
const ofExamples = globSync('examples/*/package.json', { cwd: root }).flatMap((path) => {
  const scripts: Readonly<Record<string, string>> = JSON.parse(read(path)).scripts;
  return Object.keys(scripts)
    .filter((name) => /\bnode [\w/-]+\.ts\b/.test(scripts[name] ?? ''))
    .map((name) => [dirname(path), name] as const);
});

it('the examples that run TypeScript with Node are found', () => {
  const folders = ofExamples.map(([folder]) => folder);
  const names = ['bff', 'gql-tada', 'relay', 'urql'].map((name) => `examples/${name}`);
  expect([...new Set(folders)].sort()).toEqual(names);
});

it.each<readonly [string, string]>([
  ...ofExamples,
  ['client', 'generate'],
  ['.', 'console'],
  ['.', 'check:examples'],
])('%s: npm run %s says which Node it needs where that is older', async (folder, script) => {
  const source = "Object.defineProperty(process.versions, 'node', { value: '20.20.2' })";
  const pretending = `--import=data:text/javascript,${encodeURIComponent(source)}`;
  const env = {
    HOME: process.env.HOME ?? '',
    NODE_OPTIONS: `--no-strip-types ${pretending}`,
  };
  const { code, errors } = await run(env, ['npm', 'run', script], join(root, folder)).ended;
  expect(code).toBe(1);
  expect(errors).toMatch(
    /^(Sluice|This example) needs Node 22\.19 or newer,? and was started with /,
  );
});

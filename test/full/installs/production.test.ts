import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../../support/client/folder.ts';
import { section } from '../../support/docs/pages.ts';
import { run, sendAlerts, startMain, until } from '../../support/process/run-main.ts';
import { startCollector } from '../../support/traces.ts';

const parts =
  'package.json package-lock.json client/package.json clone schema operations src sandbox';

let folder: string;
const shell = (line: string) => promisify(execFile)('sh', ['-c', line], { cwd: folder });
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-production-'));
  for (const part of parts.split(' ')) {
    await cp(join(root, part), join(folder, part), {
      recursive: true,
      filter: (path) => !path.endsWith('/generated'),
    });
  }
  await shell('npm ci --omit=dev --no-audit');
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

it('the demo runs on what `npm ci --omit=dev` installs', async () => {
  const names = await readdir(join(folder, 'node_modules'));
  expect(names).toContain('graphql-yoga');
  for (const left of ['vitest', 'typescript', '@biomejs', 'fast-check']) {
    expect(names).not.toContain(left);
  }
  const demo = run({ PORT: '0' }, [process.execPath, 'sandbox/demo.ts'], folder);
  await until(() => demo.output.text.includes('Ctrl-C') || demo.child.exitCode !== null);
  const told = (pattern: RegExp): string => pattern.exec(demo.output.text)?.[1] ?? '';
  const authorization = told(/Management-Authorization: (Basic \S+)/);
  const query = '{organizations{name}}';
  const answer = await fetch(`${told(/GraphiQL +(\S+)/)}?query=${query}`, {
    headers: { authorization },
  });
  const organizations = [{ name: 'Northwind Analytics' }];
  expect(await answer.json()).toMatchObject({ data: { organizations } });
});

it('the SDK for traces is left out, and added by the line in the documentation', async () => {
  const packages = () => readdir(join(folder, 'node_modules/@opentelemetry'));
  expect(await packages()).toEqual(['api']);
  const [adding = ''] = /^npm install .*$/m.exec(section('docs/operating.md', 'Traces')) ?? [];
  await shell(`${adding} --prefer-offline --no-audit`);
  expect(await packages()).toContain('sdk-node');
  expect(await readdir(join(folder, 'node_modules'))).not.toContain('vitest');

  const collector = await startCollector();
  const main = [process.execPath, join(folder, 'src/main.ts')] as const;
  const { url } = await startMain(sendAlerts, collector.env, main);
  await fetch(`${url}?query={__typename}`);
  await collector.named('GET /graphql');
});

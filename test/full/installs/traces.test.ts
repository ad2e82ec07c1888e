import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { root } from '../../support/client/folder.ts';
import { read, section } from '../../support/docs/pages.ts';
import { sendAlerts, startMain } from '../../support/process/run-main.ts';
import { startCollector } from '../../support/traces.ts';

/** What the image installs, and what a person adds to it. */
const [installing = ''] = /npm ci --omit=dev \S+ \S+/.exec(read('Dockerfile')) ?? [];
const [adding = ''] = /^npm install .*$/m.exec(section('docs/operating.md', 'Traces')) ?? [];

it('the SDK is left out of an installation, and added by the line in the documentation', async () => {
  const app = await mkdtemp(join(tmpdir(), 'sluice-traces-'));
  onTestFinished(() => rm(app, { recursive: true, force: true }));
  for (const copied of ['package.json', 'package-lock.json', 'schema', 'operations', 'src']) {
    await cp(join(root, copied), join(app, copied), { recursive: true });
  }
  const npm = (line: string) => {
    const [command = '', ...args] = line.split(' ');
    return promisify(execFile)(command, [...args, '--prefer-offline', '--no-audit'], { cwd: app });
  };
  const packages = () => readdir(join(app, 'node_modules', '@opentelemetry'));

  await npm(installing);
  expect(await packages()).toEqual(['api']);
  await npm(adding);
  expect(await packages()).toContain('sdk-node');
  expect(await readdir(join(app, 'node_modules'))).not.toContain('vitest');

  const collector = await startCollector();
  const main = [process.execPath, join(app, 'src', 'main.ts')] as const;
  const { url } = await startMain(sendAlerts, collector.env, main);
  await fetch(`${url}?query={__typename}`);
  await collector.named('GET /graphql');
});

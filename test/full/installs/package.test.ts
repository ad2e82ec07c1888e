import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compile, root, run as runToEnd, tsconfig } from '../../support/client/folder.ts';
import { read } from '../../support/docs/pages.ts';
import { sendSized } from '../../support/http/requests.ts';
import {
  answered,
  listen,
  run,
  sendAlerts,
  startMain,
  until,
} from '../../support/process/run-main.ts';
import '../../support/client/built.ts';

/** Serves the gateway on a server of one's own, and asks it with the client package. */
const embedding = `
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createClient } from '@sluice/client';
import { DashboardsDocument } from '@sluice/client/operations';
import { type Gateway, type GatewayPlugin, createGateway } from 'sluice';

const seen: unknown[] = [];
const plugin: GatewayPlugin = {
  onParams: ({ params }) => void seen.push(typeof params.query),
};
const gateway: Gateway = await createGateway({ settings: process.env, plugins: [plugin] });
// @ts-expect-error The settings are required.
const unused = () => createGateway({});
const server = createServer({ joinDuplicateHeaders: true }, gateway.handler).listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
const port = typeof address === 'object' && address ? address.port : 0;
const url = \`http://127.0.0.1:\${port}/graphql\`;
const client = createClient({ url, headers: { authorization: 'Bearer token' } });
console.log(JSON.stringify([await client.request(DashboardsDocument), seen]));
server.close();
await gateway.close();
`;

const files = {
  'package.json': '{"type":"module"}',
  'own.ts': embedding,
  'node16/tsconfig.json': tsconfig({ module: 'node16', rootDir: '..', outDir: '..' }),
  'bundler/tsconfig.json': tsconfig({
    ...{ module: 'esnext', moduleResolution: 'bundler', noEmit: true },
  }),
};
const include = (text: string) => JSON.stringify({ ...JSON.parse(text), files: ['../own.ts'] });

const npmPack = async (folder: string, ...more: readonly string[]): Promise<string> => {
  await runToEnd('npm', ['pack', '--pack-destination', folder, ...more], root);
  const [name = ''] = (await readdir(folder)).filter((path) => path.endsWith('.tgz'));
  return join(folder, name);
};

let folder = '';
let packages: readonly string[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-package-'));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), path.endsWith('tsconfig.json') ? include(text) : text);
  }
  const [own, client] = [join(folder, 'own'), join(folder, 'client')];
  for (const path of [own, client]) await mkdir(path);
  packages = [
    await npmPack(own),
    // Without its script, which builds anew, since other tests read what is built.
    await npmPack(client, '--workspace', 'client', '--ignore-scripts'),
  ];
  const install = ['install', '--no-audit', '--no-fund'];
  await runToEnd('npm', [...install, ...packages, '@types/node@24.19.2'], folder);
  const nodes = ['20.20.2', '22.19.0'].map(
    (version) =>
      `node${version.slice(0, 2)}@npm:node-${process.platform}-${process.arch}@${version}`,
  );
  await mkdir(join(folder, 'nodes'));
  await writeFile(join(folder, 'nodes/package.json'), '{}');
  await runToEnd('npm', [...install, ...nodes], join(folder, 'nodes'));
}, 600_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

const binOf = (name: string): string => join(folder, `nodes/node_modules/${name}/bin`);

it('holds what runs, and nothing else', async () => {
  const { stdout } = await runToEnd('tar', ['-tzf', packages[0] ?? ''], folder);
  const packed = stdout
    .trim()
    .split('\n')
    .map((path) => path.replace('package/', ''));
  const sources = globSync('{bin,src,sandbox}/**/*.{ts,js}', { cwd: root })
    .filter((path) => !['src/graphiql/pack.ts', 'src/graphiql/page.js'].includes(path))
    .map((path) => `dist/${path.replace(/\.ts$/, '.js')}`);
  const texts = globSync('{schema,operations/{agents,screens}}/*.graphql', { cwd: root });
  const ofGraphiql = ['editor-worker.js', 'favicon.ico', 'graphiql.css', 'graphiql.js']
    .concat('graphql-worker.js', 'json-worker.js', 'page.js')
    .flatMap((name) => [`${name}.br`, `${name}.gz`]);
  expect(packed.sort()).toEqual(
    [
      ...['LICENSE', 'README.md', 'package.json', 'dist/package.json'],
      ...['dist/src/index.d.ts', 'dist/src/plugins/plugin.d.ts', ...sources],
      ...texts.map((path) => `dist/${path}`),
      ...['files.json', ...ofGraphiql].map((name) => `dist/src/graphiql/packed/${name}`),
    ].sort(),
  );
});

it('brings neither Node nor what only development needs', async () => {
  const { stdout } = await runToEnd('npm', ['ls', '--all', '--parseable'], folder);
  const names = stdout
    .trim()
    .split('\n')
    .map((path) => path.split('node_modules/').at(-1) ?? '');
  expect(names).toContain('graphql-yoga');
  expect(names.filter((name) => /^node-|render-graphiql|recheck|codegen/.test(name))).toEqual([]);
});

it('has types for moduleResolution bundler and node16, without a fault of its own', async () => {
  for (const project of ['bundler', 'node16']) {
    const lines = await compile(join(folder, project)).then(
      ({ stdout }) => stdout,
      // A dependency of Yoga needs skipLibCheck.
      ({ message }) => message.replaceAll(/^\.\.\/node_modules\/lru-cache.*$/gm, ''),
    );
    expect(lines).not.toMatch(/^\S+\.ts\(/m);
  }
});

it('says which Node it needs where that is older', async () => {
  const { code, text, errors } = await run(
    { PATH: `${binOf('node20')}:${process.env.PATH}` },
    ['npx', 'sluice'],
    folder,
  ).ended;
  expect([code, text]).toEqual([1, '']);
  expect(errors).toMatch(
    /^Sluice needs Node 22\.19 or newer and was started with 20\.20\.2: .*\n$/,
  );
});

describe.each([
  ['22.19', () => binOf('node22')],
  ['24', () => dirname(process.execPath)],
])('with Node %s', (_, bin) => {
  /** A command in the folder where the packages are installed. */
  const start = (
    command: readonly [string, ...string[]],
    env: Readonly<Record<string, string>> = {},
  ) => run({ ...env, PATH: `${bin()}:${process.env.PATH}` }, command, folder);

  it('npx sluice serves the interfaces, and GraphiQL as the build packed it', async () => {
    const PATH = `${bin()}:${process.env.PATH}`;
    const { ask, url } = await startMain(sendAlerts, { PATH }, ['npx', 'sluice'], folder);
    expect(await ask('{ alerts { name } }')).toEqual(answered);
    const page = await (await sendSized(url, { headers: { accept: 'text/html' } })).text();
    const links = page.match(/graphql\/graphiql\/[\w./-]+/g) ?? [];
    expect(links).toHaveLength(7);
    for (const link of links) {
      const headers = { 'accept-encoding': 'gzip' };
      const answer = await sendSized(new URL(link, url), { headers });
      expect([link, answer.status, answer.headers.get('content-encoding')]).toEqual([
        ...[link, 200, 'gzip'],
      ]);
      const text = gunzipSync(await answer.arrayBuffer()).toString();
      if (link.endsWith('/page.js')) expect(text).toBe(read('src/graphiql/page.js'));
    }
  });

  it('npx sluice demo answers what it prints', async () => {
    const demo = start(['npx', 'sluice', 'demo'], { PORT: '0' });
    await until(() => demo.output.text.includes('Stop with Ctrl-C.'));
    const [, curl = ''] = /^(curl .*)$/m.exec(demo.output.text) ?? [];
    const { text } = await start(['sh', '-c', curl]).ended;
    expect(JSON.parse(text)).toMatchObject({
      data: { organizations: [{ name: 'Northwind Analytics' }], alerts: expect.any(Array) },
    });
  });

  it.each([
    ['--help', 0, /^Sluice is a GraphQL gateway [\s\S]*^Usage: sluice /m],
    ['demo --help', 0, /^sluice demo /],
    ['--version', 0, new RegExp(`^${RegExp.escape(JSON.parse(read('package.json')).version)}\n$`)],
    ['check', 2, /^configuration: nothing is wrong\nmanagement: .* cannot be reached/],
  ])('npx sluice %s', async (args, status, said) => {
    const nowhere = 'http://127.0.0.1:1';
    const env = { MANAGEMENT_URL: nowhere, OBSERVABILITY_URL: nowhere };
    const { code, text, errors } = await start(['npx', 'sluice', ...args.split(' ')], env).ended;
    expect([code, errors]).toEqual([status, '']);
    expect(text).toMatch(said);
  });

  it('serves on a server of one’s own, and the client package asks it', async () => {
    const { url } = await listen((response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}');
    });
    const env = { MANAGEMENT_URL: url, OBSERVABILITY_URL: url };
    const { code, text, errors } = await start(['node', 'own.js'], env).ended;
    expect([code, errors]).toEqual([0, '']);
    expect(text.split('\n').at(-2)).toBe('[{"dashboards":[]},["string"]]');
  });
});

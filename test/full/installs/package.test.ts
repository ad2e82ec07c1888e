import { globSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root, runScript, run as runToEnd } from '../../support/client/folder.ts';
import { blocks } from '../../support/docs/blocks.ts';
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
import { startCollector } from '../../support/traces.ts';
import '../../support/client/built.ts';

const [own, others] = blocks.filter(({ conditions }) =>
  conditions['run-by']?.endsWith('/package.test.ts'),
);
/** The program of examples/README.md, which then asks itself with the client package, and stops. */
const program = `${own?.text.replace('4000', '0, "127.0.0.1"')}
import { once } from 'node:events';
import { createClient } from '@sluice/client';
import { DashboardsDocument } from '@sluice/client/operations';
import type { Gateway, GatewayOptions, GatewayPlugin } from 'sluice';

gateway satisfies Gateway;
const plugin: GatewayPlugin = { onParams: ({ params }) => void params.query?.length };
({ settings: {}, plugins: [plugin] }) satisfies GatewayOptions;
// @ts-expect-error The settings are required.
({}) satisfies GatewayOptions;
await once(server, 'listening');
const address = server.address();
const url = \`http://127.0.0.1:\${typeof address === 'object' && address?.port}/graphql\`;
const client = createClient({ url, headers: { authorization: 'Bearer token' } });
console.log(JSON.stringify(await client.request(DashboardsDocument)));
process.kill(process.pid, 'SIGTERM');
`;

/** The gateway within other servers, which are asked at each path: /own has a parsed body, and the last one parses them too early. */
const within = `${own?.text.split('const server')[0]}
${others?.text}
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

app.post('/own', (request, response) => void response.send(request.body));
const late = createServer(http, express().use(express.json()).all(paths, gateway.handler));
await byFastify.listen({ port: 0, host: '127.0.0.1' });
for (const server of [byExpress, byHono, late]) await once(server.listen(0, '127.0.0.1'), 'listening');
const body = '{"query":"{ alerts { name } }"}';
const headers = { 'content-type': 'application/json', authorization: 'Bearer token' };
for (const [server, ...more] of [[byExpress, '/own'], [byFastify.server], [byHono], [late]] as const)
  for (const path of ['/graphql', '/graphql?a', '/mcp', '/mcp/', ...more]) {
    const { port } = server.address() as AddressInfo;
    const asked = await globalThis.fetch(\`http://127.0.0.1:\${port}\${path}\`, { method: 'POST', headers, body });
    console.log(path, await asked.text());
  }
process.exit();
`;

const frameworks = ['express@5.3.0', '@types/express@5.0.6', 'fastify@5.12.8'].concat(
  'hono@4.13.19',
  '@hono/node-server@2.1.9',
);

let folder = '';
const npm = (...args: readonly string[]) => runToEnd('npm', args, folder);
const binOf = (name: string): string => join(folder, `nodes/node_modules/${name}/bin`);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-package-'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'own.ts'), program);
  await writeFile(join(folder, 'within.ts'), within);
  const pack = ['pack', '--pack-destination', folder];
  await runToEnd('npm', pack, root);
  // Without its script, which builds anew, since other tests read what is built.
  await runToEnd('npm', [...pack, '--workspace', 'client', '--ignore-scripts'], root);
  const tarballs = globSync('*.tgz', { cwd: folder }).map((name) => `./${name}`);
  await npm('install', '@opentelemetry/sdk-node@0.220.0');
  await npm('install', ...tarballs, '@types/node@24.19.2', ...frameworks);
  const binary = `npm:node-${process.platform}-${process.arch}`;
  const nodes = [`node18@${binary}@18.20.8`, `node22@${binary}@22.19.0`];
  await npm('install', '--prefix', 'nodes', ...nodes);
}, 600_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

it('holds what runs, and nothing else', () => {
  const packed = globSync('{**/*.*,LICENSE}', { cwd: join(folder, 'node_modules/sluice') });
  const sources = globSync('{bin,src,sandbox}/**/*.{ts,js}', { cwd: root })
    .filter((path) => !['src/graphiql/pack.ts', 'src/graphiql/page.js'].includes(path))
    .map((path) => path.replace(/\.ts$/, '.js'));
  const texts = globSync(
    ['{schema,operations/{agents,screens}}/*.graphql', 'src/redis/scripts/*.lua'],
    { cwd: root },
  );
  const ofGraphiql = ['editor-worker.js', 'favicon.ico', 'graphiql.css', 'graphiql.js']
    .concat('graphql-worker.js', 'json-worker.js', 'page.js')
    .flatMap((name) => [`${name}.br`, `${name}.gz`]);
  const types = ['src/index.d.ts', 'src/plugins/plugin.d.ts'];
  const built = ['package.json', ...sources, ...texts, ...types].concat(
    ['files.json', ...ofGraphiql].map((name) => `src/graphiql/packed/${name}`),
  );
  const whole = ['LICENSE', 'README.md', 'package.json', ...built.map((path) => `dist/${path}`)];
  expect(packed.sort()).toEqual(whole.sort());
  const needless = '{node-*,@graphql-yoga/render-graphiql,typescript}';
  expect(globSync(`node_modules/${needless}`, { cwd: folder })).toEqual([]);
});

it('sends traces by another version of OpenTelemetry’s SDK, which the folder had before', async () => {
  const collector = await startCollector();
  const { url } = await startMain(sendAlerts, collector.env, ['npx', 'sluice'], folder);
  await fetch(`${url}?query={__typename}`);
  await collector.named('GET /graphql');
});

it.each(['node16', 'bundler'])('has types for moduleResolution %s', async (resolution) => {
  const options = `--strict --target es2023 --types node --module ${resolution === 'bundler' ? 'esnext' : resolution}`;
  const args = [
    ...options.split(' '),
    '--moduleResolution',
    resolution,
    '--ignoreConfig',
    ...['own.ts', 'within.ts'],
  ];
  const compile = (...more: string[]) =>
    runScript('typescript/bin/tsc', [...args, ...more], folder);
  expect((await compile('--skipLibCheck')).stdout).toBe('');
  // Without it, the types of a dependency of Yoga have errors, and no others.
  const message = await compile().then(
    () => '',
    (error: Error) => error.message,
  );
  const wrong = message.split('\n').filter((line: string) => line.includes('error TS'));
  expect(wrong.filter((line: string) => !line.startsWith('node_modules/lru-cache'))).toEqual([]);
});

it.each<[string, ...string[]]>([
  ['node_modules/.bin/sluice'],
  ['node', '--input-type=module', '--eval', "import 'sluice'"],
])('%s %s %s says which Node it needs where that is older', async (program, ...args) => {
  const env = { PATH: `${binOf('node18')}:${process.env.PATH}` };
  const { code, text, errors } = await run(env, [program, ...args], folder).ended;
  expect([code, text]).toEqual([1, '']);
  expect(errors).toMatch(/^Sluice needs Node 22\.19 .* was started with 18\.20\.8: .*\n$/);
});

describe.each([
  ['22.19', () => binOf('node22')],
  ['24', () => dirname(process.execPath)],
])('with Node %s', (_, bin) => {
  /** A command in the folder where the packages are installed. */
  const start = (command: readonly [string, ...string[]], env: object = {}) =>
    run({ ...env, PATH: `${bin()}:${process.env.PATH}` }, command, folder);

  it('npx sluice serves the interfaces, and GraphiQL as the build packed it', async () => {
    const PATH = `${bin()}:${process.env.PATH}`;
    const { ask, url } = await startMain(sendAlerts, { PATH }, ['npx', 'sluice'], folder);
    expect(await ask('{ alerts { name } }')).toEqual(answered);
    const page = await (await sendSized(url, { headers: { accept: 'text/html' } })).text();
    const links = page.match(/graphql\/graphiql\/[\w./-]+/g) ?? [];
    expect(links).toHaveLength(7);
    const headers = { 'accept-encoding': 'gzip' };
    const files = links.map((link) => sendSized(new URL(link, url), { headers }));
    const statuses = (await Promise.all(files)).map(({ status }) => status);
    expect(statuses).toEqual(links.map(() => 200));
    const script = await files[links.findIndex((link) => link.endsWith('/page.js'))];
    const text = gunzipSync((await script?.arrayBuffer()) ?? '').toString();
    expect(text).toBe(read('src/graphiql/page.js'));
  });

  it('npx sluice demo answers what it prints', async () => {
    const demo = start(['npx', 'sluice', 'demo'], { PORT: '0' });
    await until(() => demo.output.text.includes('Stop with Ctrl-C.'));
    const [, curl = ''] = /^(curl .*)$/m.exec(demo.output.text) ?? [];
    const { text } = await start(['sh', '-c', curl]).ended;
    expect(JSON.parse(text).data.organizations).toMatchObject([{ name: 'Northwind Analytics' }]);
  });

  it.each([
    ['--help', 0, /^Sluice is a GraphQL gateway [\s\S]*^Usage: sluice /m],
    ['demo --help', 0, /^sluice demo /],
    ['--version', 0, new RegExp(`^${RegExp.escape(JSON.parse(read('package.json')).version)}\n$`)],
    ['schema --profile hyperdx', 0, /^type Query \{[\s\S]*^ {2}savedSearches/m],
    ['check', 2, /^configuration: nothing is wrong\nmanagement: .* cannot be reached/],
  ])('npx sluice %s', async (args, status, said) => {
    const nowhere = 'http://127.0.0.1:1';
    const env = { MANAGEMENT_URL: nowhere, OBSERVABILITY_URL: nowhere };
    const { code, text, errors } = await start(['npx', 'sluice', ...args.split(' ')], env).ended;
    expect([code, errors]).toEqual([status, '']);
    expect(text).toMatch(said);
  });

  it('serves within Express, Fastify and Hono, as documented', async () => {
    const { url } = await listen(sendAlerts);
    const env = { MANAGEMENT_URL: url, OBSERVABILITY_URL: url, MCP: 'read', LOG_LEVEL: 'silent' };
    const { code, text, errors } = await start(['node', 'within.js'], env).ended;
    expect([code, errors]).toEqual([0, '']);
    const paths = ['/graphql', '/graphql?a', '/mcp', '/mcp/'];
    const noMessage = '.*must be one JSON-RPC 2.0 message';
    const answers = ['.*"lag"', '.*"lag"', noMessage, noMessage];
    const servedBy = paths.map((path, at) => `${path} ${answers[at]}`);
    const tooLate = paths.map((path) => `${path} .*The body was read before it came`);
    const whole = [...servedBy, '/own {"query":', ...servedBy, ...servedBy, ...tooLate];
    const lines = text.trimEnd().split('\n');
    expect(lines).toEqual(whole.map((line) => expect.stringMatching(line.replace('?', '\\?'))));
  });

  it('serves on a server of one’s own, and the client package asks it', async () => {
    const { url } = await listen((response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}');
    });
    const env = { MANAGEMENT_URL: url, OBSERVABILITY_URL: url };
    const { code, text, errors } = await start(['node', 'own.js'], env).ended;
    expect([code, errors]).toEqual([0, '']);
    expect(text.split('\n').at(-2)).toBe('{"dashboards":[]}');
  });
});

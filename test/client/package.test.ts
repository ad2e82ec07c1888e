import '../support/client/built.ts';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import * as nodes from '../../client/src/document-nodes.ts';
import * as operations from '../../client/src/operations.ts';
import * as samples from '../../client/src/samples.ts';
import { operationsOf } from '../../operations/documents.ts';
import { world } from '../../sandbox/world/ids.ts';
import { createSchema } from '../../src/gateway/schema.ts';
import {
  bundle,
  compile,
  createFolder,
  exporting,
  root,
  run,
  tsconfig,
} from '../support/client/folder.ts';
import { read, section } from '../support/docs/pages.ts';
import { startSandboxStack } from '../support/harness.ts';

const readme = read('client/README.md');

/** Runs code with this Node, as a user of the package would. */
const runCode = (code: string) =>
  run(process.execPath, ['--input-type=module-typescript', '--eval', code], root);

const firstExample = (text: string): string => /^```ts\n([\s\S]*?)^```$/m.exec(text)?.[1] ?? '';

it("the README's example, as its user would run it, reads a pipe of the demo", async () => {
  const example = firstExample(readme);
  expect(example).toContain('http://127.0.0.1:4000/graphql');
  const stack = await startSandboxStack();
  onTestFinished(() => stack.close());
  const output = await runCode(example.replace('http://127.0.0.1:4000/graphql', stack.url));
  expect(output).toEqual({ stdout: 'clickstream Running\n', stderr: '' });
});

it("the README's command waits for its pipe, through a login in front of the gateway", async () => {
  let time = Date.now();
  // The pipe stops between two reads.
  const clock = () => {
    time += 5000;
    return new Date(time);
  };
  const stack = await startSandboxStack({ sandbox: { clock } });
  onTestFinished(() => stack.close());
  const { organizationId, services, pipes } = world.management.main;
  const input = { organizationId, serviceId: services.production, pipeId: pipes.clickstream };
  const keys = { 'management-authorization': stack.sandbox.credentials.management.admin.header };
  // Takes the place of the browser, which sends a cookie, and of the login, which adds the user's keys.
  const login = `
    const send = fetch;
    globalThis.fetch = (path, { credentials, headers, ...init }) => {
      if (path + credentials !== '/graphqlsame-origin') throw new Error('no cookie');
      return send('${stack.url}', { ...init, headers: { ...Object.fromEntries(headers), ...${JSON.stringify(keys)} } });
    };`;
  const code = firstExample(section('client/README.md', 'Commands'));
  const output = await runCode(
    `${login}\n${code}\nconsole.log(await stop(${JSON.stringify(input)}));`,
  );
  expect(output).toEqual({ stdout: 'STOPPED\n', stderr: '' });
});

const user = `
import { createClient } from '@sluice/client';
import { possibleTypes, typePolicies } from '@sluice/client/apollo';
import { DashboardsDocument } from '@sluice/client/operations';
import manifest from '@sluice/client/package.json' with { type: 'json' };

const answer = async () => new Response('{"data":{"dashboards":[]}}');
const client = createClient({ url: 'http://127.0.0.1/', fetch: answer });
const { dashboards } = await client.request(DashboardsDocument);
console.log(manifest.name, dashboards, Object.keys(typePolicies).includes(possibleTypes.Node?.[0] ?? ''));
`;

it('what is published compiles without skipLibCheck and DOM, and runs, where it is installed', async () => {
  const settings = tsconfig({ skipLibCheck: false, resolveJsonModule: true });
  const files = { 'tsconfig.json': settings, 'node_modules/@sluice/client/.keep': '' };
  const folder = await createFolder({ 'user.ts': user, ...files }, ['@types/node']);
  // Without the script that builds anew, since other tests read what is built.
  const pack = ['pack', '--workspace', 'client', '--ignore-scripts', '--json'];
  const { stdout } = await run('npm', [...pack, '--pack-destination', folder], root);
  const [packed] = Object.values<{
    readonly filename: string;
    readonly files: readonly { readonly path: string }[];
  }>(JSON.parse(stdout));
  const paths = packed?.files.map(({ path }) => path) ?? [];
  const besides = paths.filter((path) => !path.startsWith('dist/'));
  expect(besides.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
  const into = ['--strip-components=1', '-C', join(folder, 'node_modules/@sluice/client')];
  await run('tar', ['-xzf', join(folder, packed?.filename ?? ''), ...into], folder);

  expect((await compile(folder)).stdout).toBe('');
  const output = await run(process.execPath, ['user.js'], folder);
  expect(output).toEqual({ stdout: '@sluice/client [] true\n', stderr: '' });
});

it('depends on no other package, but for the types of parsed documents on graphql', () => {
  for (const name of globSync('client/dist/**/*.d.ts', { cwd: root })) {
    const found = read(name).match(/(?<=(?:from|import\() ?')[^.'][^']*(?=')/g) ?? [];
    expect([name, found]).toEqual([name, name.endsWith('/document-node.d.ts') ? ['graphql'] : []]);
  }
  const manifest = JSON.parse(read('client/package.json'));
  expect(manifest).not.toHaveProperty('dependencies');
  expect(manifest.peerDependencies).toEqual({ graphql: expect.any(String) });
  expect(manifest.peerDependenciesMeta).toEqual({ graphql: { optional: true } });
});

it('operations are those of the fields, one for each, and samples are those of screens', () => {
  const documentsIn = (module: object) =>
    Object.keys(module).filter((name) => name.endsWith('Document'));
  const ofFields = operationsOf(createSchema()).map(({ name }) => `${name}Document`);
  expect(documentsIn(operations).sort()).toEqual(ofFields.sort());
  expect(documentsIn(nodes).sort()).toEqual(ofFields);
  const screens = globSync('operations/screens/*.graphql', { cwd: root }).flatMap((path) =>
    [...read(path).matchAll(/^(?:query|mutation|subscription) (\w+)/gm)].map(
      ([, name]) => `${name}Document`,
    ),
  );
  expect(documentsIn(samples).sort()).toEqual(screens.sort());
});

const [, sizes = ''] = readme.split('## Size');
const [core, all, apollo] = [...sizes.matchAll(/([\d.]+) kB/g)].map(([, kB]) => Number(kB));

it.each([
  ['the client alone', exporting('index'), core, 3.6],
  ['with all operations', exporting('index', 'operations'), all, 12],
  ["for Apollo's cache", exporting('apollo'), apollo, 1.5],
])(
  'minified and compressed %s: as large as its README says, without imports',
  async (_, entry, told = 0, most) => {
    const code = await bundle(entry);
    expect(code).not.toMatch(/\bimport\b|\brequire\b/);
    const size = gzipSync(code, { level: 9 }).length / 1000;
    expect(size).toBeLessThan(most);
    // Half of the last digit, and ten bytes, since processors compress a little differently.
    expect(Math.abs(size - told)).toBeLessThan(0.06);
  },
);

it('a bundle holds only those operations that are imported', async () => {
  const code = await bundle(exporting('operations').replace('*', '{ PipeDocument }'));
  expect(code).toContain('query Pipe(');
  expect(code).not.toMatch(/query Service\(|mutation/);
});

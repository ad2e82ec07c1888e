import '../support/client/built.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compile, createFolder, root, run, tsconfig } from '../support/client/folder.ts';
import { startSandboxStack } from '../support/harness.ts';

/** What `npm pack --json` says of a package. */
interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

const readme = readFileSync(`${root}client/README.md`, 'utf8');

it("the README's example, as its user would run it, reads a pipe of the demo", async () => {
  const [, example = ''] = readme.match(/^```ts\n([\s\S]*?)^```$/m) ?? [];
  expect(example).toContain('http://127.0.0.1:4000/graphql');
  const stack = await startSandboxStack();
  const code = example.replace('http://127.0.0.1:4000/graphql', stack.url);
  const { stdout, stderr } = await run(
    process.execPath,
    ['--input-type=module-typescript', '--eval', code],
    root,
  );
  await stack.close();
  expect({ stdout, stderr }).toEqual({ stdout: 'clickstream Running\n', stderr: '' });
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
  const folder = await createFolder(
    {
      'user.ts': user,
      'tsconfig.json': tsconfig({ skipLibCheck: false, resolveJsonModule: true }),
      'node_modules/@sluice/client/.keep': '',
    },
    ['@types/node'],
  );
  // Without the script that builds anew, since other tests read what is built.
  const pack = ['pack', '--workspace', 'client', '--ignore-scripts', '--json'];
  const { stdout } = await run('npm', [...pack, '--pack-destination', folder], root);
  const [packed] = Object.values<Packed>(JSON.parse(stdout));
  const files = packed?.files.map(({ path }) => path) ?? [];
  const besides = files.filter((path) => !path.startsWith('dist/'));
  expect(besides.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
  const installed = join(folder, 'node_modules/@sluice/client');
  await run(
    'tar',
    ['-xzf', join(folder, packed?.filename ?? ''), '--strip-components=1', '-C', installed],
    folder,
  );

  expect((await compile(folder)).stdout).toBe('');
  expect(await run(process.execPath, ['user.js'], folder)).toEqual({
    stdout: '@sluice/client [] true\n',
    stderr: '',
  });
});

it('the declarations name no other package', () => {
  for (const name of ['index', 'client', 'error', 'apollo', 'generated/operations']) {
    const text = readFileSync(`${root}client/dist/${name}.d.ts`, 'utf8');
    const specifiers = [...text.matchAll(/(?:from|import\() ?'([^']*)'/g)].map(([, from]) => from);
    for (const specifier of specifiers) expect(specifier).toMatch(/^\.\.?\//);
  }
});

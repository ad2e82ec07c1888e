import '../../support/client/built.ts';
import { execFileSync } from 'node:child_process';
import { cpSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../../support/client/folder.ts';
import { run } from '../../support/process/run-main.ts';
import { copyRepository } from '../../support/repository-copy.ts';

/** The rooms whose code or words depend on graphql-js, and the clients that bring their own copy of its types. */
const rooms = [
  'test/documents',
  'test/execution',
  'test/defer',
  'test/errors',
  'test/operations/table.test.ts',
  'test/client/other-clients.test.ts',
];

let copy = '';
beforeAll(() => {
  // Vitest inlines what has `graphql` in its path, so the folder has another name.
  copy = copyRepository('seventeen');
  for (const made of ['src/generated', 'client/src/generated', 'client/dist']) {
    cpSync(join(root, made), join(copy, made), { recursive: true });
  }
  // Packages look for graphql beside themselves, so links to this installation's would find the other one.
  const [from, to] = [join(root, 'node_modules'), join(copy, 'node_modules')];
  execFileSync('sh', ['-c', 'cp -al "$0" "$1" 2>/dev/null || cp -a "$0/." "$1"', from, to]);
  rmSync(join(to, 'graphql'), { recursive: true });
  renameSync(join(to, 'graphql-17'), join(to, 'graphql'));
}, 300_000);
afterAll(() => rmSync(copy, { recursive: true }));

const inCopy = async (...command: readonly [string, ...string[]]) => {
  const { HOME = '' } = process.env;
  const { code, text, errors } = await run({ HOME }, command, copy).ended;
  return { code, told: text + errors };
};

it('the gateway’s types fit graphql 17', async () => {
  const version = "import('graphql').then(({ version }) => console.log(version))";
  expect((await inCopy(process.execPath, '-e', version)).told).toMatch(/^17\./);
  expect(await inCopy('npx', 'tsc', '--noEmit')).toEqual({ code: 0, told: '' });
});

it('its tests of documents, execution, parts, errors and operations pass with graphql 17', async () => {
  const { code, told } = await inCopy('npx', 'vitest', 'run', '--project', 'fast', ...rooms);
  expect([code, told]).toEqual([0, expect.stringContaining('passed')]);
}, 1_800_000);

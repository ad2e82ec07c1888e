import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { profiles } from '../../operations/table.ts';
import { startSandboxStack } from '../../support/harness.ts';

const folder = new URL('../../../examples/postman/', import.meta.url).pathname;

it.each([
  ['Documented interfaces', undefined],
  ['Only with the profiles of live services', 'live'],
  ['Only with ClickStack in Cloud, without the observability header', 'clickstack-cloud'],
] as const)('newman runs the folder "%s" of the collection', async (name, profile) => {
  let time = Date.parse('2026-11-21T10:00:00Z');
  // Long enough between two calls for a pipe to have stopped.
  const clock = () => {
    time += 60_000;
    return new Date(time);
  };
  const stack = await startSandboxStack({
    sandbox: { clock, ...(profile && { profile }) },
    config: profile ? profiles[profile] : {},
  });
  onTestFinished(() => stack.close());
  const newman = join(folder, 'node_modules/newman/bin/newman.js');
  const args = ['run', 'collection.json', '--folder', name, '--env-var', `url=${stack.url}`];
  const { stdout } = await promisify(execFile)(process.execPath, [newman, ...args], {
    cwd: folder,
  });
  expect(stdout).toMatch(/assertions[^0-9]+[1-9]\d*[^0-9]+0\b/);
});

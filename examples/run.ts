import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * `node examples/run.ts <script> [example…]`, called by npm scripts: installs the examples' packages if they are missing or
 * older than the lock file, runs this script of each example, and writes a line for each.
 */
const folder = fileURLToPath(new URL('.', import.meta.url));

const changedAt = (path: string): number =>
  statSync(`${folder}${path}`, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const examples = (): readonly string[] =>
  readdirSync(folder).filter((name) => changedAt(`${name}/package.json`) > 0);

// npm writes this file when all packages are installed.
const isInstalled = (example: string): boolean =>
  changedAt(`${example}/node_modules/.package-lock.json`) >=
  changedAt(`${example}/package-lock.json`);

/** Runs npm in an example's folder; shows its output only if it fails. */
const npm = (example: string, ...args: readonly string[]): boolean => {
  // Uses the npm and Node of this process: on Windows `npm` is not an executable.
  const { npm_execpath: program } = process.env;
  if (program === undefined) throw new Error('run it through npm: npm run check:examples');
  const { status, error, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: `${folder}${example}`,
    encoding: 'utf8',
  });
  if (status === 0) return true;
  const output = error?.message ?? `${stdout}${stderr}`;
  process.stderr.write(`examples/${example}: npm ${args.join(' ')} failed\n${output}`);
  return false;
};

const [script, ...named] = process.argv.slice(2);
if (script === undefined) throw new Error('usage: run.ts <script> [example…]');

for (const example of named.length > 0 ? named : examples()) {
  const installed = isInstalled(example);
  if ((installed || npm(example, 'ci')) && npm(example, 'run', script)) {
    process.stdout.write(`examples/${example}: ${installed ? '' : 'npm ci, '}npm run ${script}\n`);
  } else {
    process.exitCode = 1;
  }
}

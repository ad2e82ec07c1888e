import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// TypeScript does not check Relay's documents, but relay-compiler does: it must refuse the document in must-not-generate
// because of its misspelt field.
const { status, stdout, stderr } = spawnSync(
  process.execPath,
  [fileURLToPath(import.meta.resolve('relay-compiler/cli.js')), '--noWatchman', '--validate'],
  { cwd: new URL('../must-not-generate/', import.meta.url), encoding: 'utf8' },
);
const output = `${stdout}${stderr}`;

if (status !== 1 || !output.includes('nmae')) {
  process.stderr.write(`relay-compiler did not refuse a misspelt field:\n${output}`);
  process.exitCode = 1;
}

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// TypeScript does not check documents, but the generator does: it must refuse the document in must-not-generate because of
// its misspelt field.
const cli = import.meta.resolve('@graphql-codegen/cli/package.json');
const { status, stdout, stderr } = spawnSync(
  process.execPath,
  [fileURLToPath(new URL('esm/bin.js', cli)), '--config', 'must-not-generate/codegen.yml'],
  { cwd: new URL('../', import.meta.url), encoding: 'utf8' },
);
const output = `${stdout}${stderr}`;

if (status !== 1 || !output.includes('nmae')) {
  process.stderr.write(`graphql-codegen did not refuse a misspelt field:\n${output}`);
  process.exitCode = 1;
}

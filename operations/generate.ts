// Writes the files that follow from the schema, the rows of upstream operations, the resolvers, the settings, the alert rules and
// the table of operations in test/operations: `node operations/generate.ts`. With `--check` it only lists the files that are not
// up to date.
import { globSync, rmSync, writeFileSync } from 'node:fs';
import { indices } from './indices.ts';
import { read, root } from './root.ts';

const isCheck = process.argv.includes('--check');
const present = (path: string): string | undefined => globSync(path, { cwd: root }).map(read)[0];

const write = (path: string, text: string | undefined): void => {
  if (present(path) === text) return;
  if (isCheck) {
    process.stderr.write(`${path} is not up to date: run \`npm run generate\` and commit it.\n`);
    process.exitCode = 1;
  } else if (text === undefined) rmSync(`${root}${path}`);
  else writeFileSync(`${root}${path}`, text);
};

for (const [path, make] of indices) write(path, await make());
// All other files come from the schema, which imports these.
const { files } = await import('./files.ts');
for (const [path, text] of files) write(path, text);

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { onTestFinished } from 'vitest';

/** The folder of this repository. */
export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Runs a program to its end; the error of a failure has its whole output. */
export const run = async (
  file: string,
  args: readonly string[],
  cwd: string,
): Promise<{ readonly stdout: string; readonly stderr: string }> =>
  promisify(execFile)(file, args, { cwd }).catch((error) => {
    throw new Error(`${error.message}\n${error.stdout}`);
  });

/** Runs a script of an installed package with this Node. */
export const runScript = (path: string, args: readonly string[], cwd: string) =>
  run(process.execPath, [join(root, 'node_modules', path), ...args], cwd);

/** Compiles a folder with its own `tsconfig.json`. */
export const compile = (folder: string) => runScript('typescript/bin/tsc', [], folder);

/** A user's strict settings. */
export const tsconfig = (more: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({
    compilerOptions: {
      target: 'es2022',
      lib: ['es2023'],
      module: 'nodenext',
      types: ['node'],
      strict: true,
      exactOptionalPropertyTypes: true,
      ...more,
    },
  });

/**
 * A temporary folder outside the repository, with these files by path and text, deleted with the test. It contains only the
 * given packages of this installation.
 */
export const createFolder = async (
  files: Readonly<Record<string, string>>,
  packages: readonly string[],
): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-client-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [path, text] of Object.entries({ 'package.json': '{"type":"module"}', ...files })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  for (const name of packages) {
    const link = join(folder, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(root, 'node_modules', name), link, 'dir');
  }
  return folder;
};

/** Statements that export all of some of the client's built modules. */
export const exporting = (...modules: readonly string[]): string =>
  modules
    .map((name) => `export * from ${JSON.stringify(join(root, 'client/dist', `${name}.js`))};`)
    .join('\n');

/** The minified text of `code` and its imports, in one module. */
export const bundle = async (code: string): Promise<string> => {
  const folder = await createFolder({ 'entry.js': code }, []);
  const bundling = await rolldown({ input: join(folder, 'entry.js') });
  const { output } = await bundling.generate({ minify: true });
  await bundling.close();
  return output[0].code;
};

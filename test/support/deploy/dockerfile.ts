import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, matchesGlob, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string): Promise<string> => readFile(join(root, path), 'utf8');

interface Instruction {
  readonly name: string;
  readonly value: string;
}

/** The instructions of the Dockerfile in order; lines that go on are joined, and comments left out. */
export const readDockerfile = async (): Promise<readonly Instruction[]> => {
  const text = (await read('Dockerfile')).replaceAll(/^#.*\n/gm, '').replaceAll(/\\\n\s*/g, ' ');
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', value = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
      if (name === '') throw new Error(`not an instruction: ${line}`);
      return { name, value };
    });
};

/** What the instructions of a name say. */
export const valuesOf = (instructions: readonly Instruction[], name: string): readonly string[] =>
  instructions.filter((instruction) => instruction.name === name).map(({ value }) => value);

/** The words of a command in the form of a list, without a shell. */
export const wordsOf = (value: string | undefined): readonly [string, ...string[]] => {
  const words: unknown = JSON.parse(value ?? 'null');
  if (!Array.isArray(words) || typeof words[0] !== 'string') throw new Error('no list of words');
  return words as [string, ...string[]];
};

/** The variables that ENV gives. */
export const environmentOf = (
  instructions: readonly Instruction[],
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    valuesOf(instructions, 'ENV').flatMap((value) =>
      value
        .trim()
        .split(/\s+/)
        .map((pair) => pair.split(/=(.*)/).slice(0, 2)),
    ),
  );

/** Whether .dockerignore keeps a path of the repository from the image: the last line that fits decides. */
const readIgnored = async (): Promise<(path: string) => boolean> => {
  const lines = (await read('.dockerignore')).split('\n').filter((line) => line !== '');
  const fits = (path: string, pattern: string): boolean =>
    path.split('/').some((_, index, parts) => {
      return matchesGlob(parts.slice(0, index + 1).join('/'), pattern);
    });
  return (path) =>
    lines.reduce((isIgnored, line) => {
      const isException = line.startsWith('!');
      return fits(path, isException ? line.slice(1) : line) ? !isException : isIgnored;
    }, false);
};

const filesUnder = async (path: string): Promise<readonly string[]> => {
  if ((await stat(join(root, path))).isFile()) return [path];
  const entries = await readdir(join(root, path), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)));
};

const copy = async (value: string, app: string): Promise<void> => {
  const isIgnored = await readIgnored();
  const words = value.split(/\s+/);
  const to = words.pop() ?? '';
  for (const word of words) {
    const paths = (await filesUnder(word)).filter((path) => !isIgnored(path));
    if (paths.length === 0) throw new Error(`.dockerignore leaves nothing of ${word}`);
    // A folder's content goes into the folder that is named, and files go into it by their names.
    for (const path of paths) {
      const target = join(app, to, path === word ? basename(path) : relative(word, path));
      await mkdir(dirname(target), { recursive: true });
      await cp(join(root, path), target);
    }
  }
};

/** The machine's variables, without those of an npm that may have started the tests. */
const ofMachine = (): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));

export interface BuiltImage {
  /** In the place of WORKDIR. */
  readonly app: string;
  /** In the place of the user's home, and of /tmp: empty at first. */
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Takes the Dockerfile's steps in a folder, with this Node in the place of the base image's. */
export const buildImage = async (): Promise<BuiltImage> => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-image-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [app, home, build] = [join(folder, 'app'), join(folder, 'home'), join(folder, 'build')];
  for (const path of [app, home, build]) await mkdir(path);
  const instructions = await readDockerfile();
  const path = `${dirname(process.execPath)}:${process.env.PATH}`;
  const env = { ...environmentOf(instructions), PATH: path, HOME: home, TMPDIR: home };
  for (const { name, value } of instructions) {
    if (name === 'COPY') await copy(value, app);
    // How the registry is reached is the machine's business. Its npm cache is not: the step empties the one that it finds.
    const asBuilder = {
      ...ofMachine(),
      ...env,
      HOME: build,
      TMPDIR: build,
      npm_config_cache: join(build, 'npm'),
    };
    if (name === 'RUN')
      await promisify(execFile)('sh', ['-c', value], { cwd: app, env: asBuilder });
  }
  return { app, home, env };
};

import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { createFolder, root } from './client/folder.ts';
import { read } from './docs/pages.ts';
import { kubectlPath } from './programs.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into manifests of every shape
export type Manifest = any;

/** Kind and name of a manifest. */
export const idOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;

/** What kubectl makes of a folder. */
export const render = (folder: string): readonly Manifest[] => {
  // Never the cluster of the person who runs the tests.
  const env = { PATH: process.env.PATH, KUBECONFIG: '/dev/null' };
  const args = ['kustomize', folder];
  const text = execFileSync(kubectlPath ?? '', args, { cwd: root, env, encoding: 'utf8' });
  return parseAllDocuments(text).map((document) => document.toJS());
};

/** The example in a copy of `deploy/`, with every line that it offers; removed after the test. */
export const openExample = async (): Promise<string> => {
  const folder = await createFolder({}, []);
  cpSync(join(root, 'deploy'), join(folder, 'deploy'), { recursive: true });
  const path = join(folder, 'deploy/example/kustomization.yaml');
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/^( *)# - /gm, '$1- '));
  return join(folder, 'deploy/example');
};

/** The value at a path: the manifest's kind and name, then members and list positions, separated by spaces. */
export const at = (manifests: readonly Manifest[], path: string): Manifest => {
  const [kind, name, ...members] = path.split(' ');
  const manifest = manifests.find((one) => idOf(one) === `${kind} ${name}`);
  return members.reduce((value, member) => value?.[member], manifest);
};

/**
 * The services of compose.yaml, with variables replaced as by Compose.
 * @throws Error with the text after `:?` if a required variable has no value.
 */
export const readCompose = (variables: Readonly<Record<string, string>>): Manifest => {
  const filled = read('compose.yaml').replaceAll(
    /\$\{(\w+)(?::\?([^}]*))?\}/g,
    (_, name: string, message) => {
      const value = variables[name] ?? '';
      if (value === '' && message !== undefined) throw new Error(`${name}: ${message}`);
      return value;
    },
  );
  return parse(filled, { merge: true }).services;
};

const [, afterBuild = ''] = read('Dockerfile').split(/^FROM .* AS runtime$/m);

/** The instructions of the image's last stages in order, with continued lines joined and comments removed. */
const dockerfile = afterBuild
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, ' ')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [, name = '', value = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (name === '') throw new Error(`not an instruction: ${line}`);
    return { name, value };
  });

/** The values of all instructions with this name. */
export const valuesOf = (name: string): readonly string[] =>
  dockerfile.filter((instruction) => instruction.name === name).map(({ value }) => value);

/** The environment variables of the image. */
export const imageEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  valuesOf('ENV')
    .flatMap((value) => value.trim().split(/\s+/))
    .map((pair) => pair.split(/=(.*)/).slice(0, 2)),
);

import { cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { createFolder, root } from './client/folder.ts';
import { read } from './docs/pages.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into manifests of every shape
export type Manifest = any;

/** Kind and name of a manifest. */
export const idOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;

export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The documents of a text of YAML. */
export const documentsOf = (text: string): readonly Manifest[] =>
  parseAllDocuments(text).map((document) => {
    if (document.errors.length > 0) throw new Error(document.errors[0]?.message);
    return document.toJS();
  });

/** Lists of named objects are merged by name, with new objects first; other lists are replaced. */
const merge = (value: Manifest, patch: Manifest): Manifest => {
  if (Array.isArray(value) && patch.every(({ name }: Manifest) => name !== undefined)) {
    const named = (list: readonly Manifest[], { name }: Manifest) =>
      list.find((item) => item.name === name);
    const added = patch.filter((item: Manifest) => !named(value, item));
    return [...added, ...value.map((item) => merge(item, named(patch, item) ?? {}))];
  }
  if (!isObject(value) || !isObject(patch)) return patch;
  const members = Object.entries(patch).map(([name, change]) => [
    name,
    merge((value as Manifest)[name], change),
  ]);
  return { ...value, ...Object.fromEntries(members) };
};

/** Applies a folder's kustomization to existing manifests. */
const build = (folder: string, before: readonly Manifest[]): readonly Manifest[] => {
  const yaml = (path: string) => documentsOf(readFileSync(join(folder, path), 'utf8'));
  const [kustomization] = yaml('kustomization.yaml');
  const { apiVersion, kind, namespace, resources = [], components = [], ...more } = kustomization;
  const { patches, images = [], configMapGenerator = [], ...unknown } = more;
  if (Object.keys(unknown).length > 0) throw new Error(`${folder} has what is not rendered here`);
  const added = resources.flatMap((path: string) =>
    statSync(join(folder, path)).isDirectory() ? build(join(folder, path), []) : yaml(path),
  );
  const generated = configMapGenerator.map(({ name, files, options: { labels } }: Manifest) => {
    const data = files.map((file: string) => {
      const [key = '', path = ''] = file.split('=');
      return [key, readFileSync(join(folder, path), 'utf8')];
    });
    const metadata = { name: `${name}-hash`, labels };
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: Object.fromEntries(data) };
  });
  let all: readonly Manifest[] = [...before, ...added, ...generated];
  for (const component of components) all = build(join(folder, component), all);
  for (const patch of (patches ?? []).flatMap(({ path }: Manifest) => yaml(path))) {
    const id = idOf(patch);
    if (!all.some((manifest) => idOf(manifest) === id)) throw new Error(`nothing to patch: ${id}`);
    all = all.map((manifest) => (idOf(manifest) === id ? merge(manifest, patch) : manifest));
  }
  const withImages = JSON.parse(JSON.stringify(all), (member, value) => {
    const image = member === 'image' && images.find(({ name }: Manifest) => name === value);
    return image ? `${image.newName}:${image.newTag}` : value;
  });
  return withImages.map((manifest: Manifest) =>
    namespace === undefined || manifest.kind === 'Namespace'
      ? manifest
      : { ...manifest, metadata: { ...manifest.metadata, namespace } },
  );
};

/**
 * The result of `kubectl kustomize` for a folder, limited to the features that `deploy/` uses, with `hash` in the place of a hash.
 * If kubectl is installed, test/deploy/manifests.test.ts compares both.
 */
export const render = (folder: string): readonly Manifest[] => build(resolve(root, folder), []);

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

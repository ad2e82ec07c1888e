import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { read } from './docs/pages.ts';
import { drawPort } from './ports.ts';
import { run, until } from './process/run-main.ts';
import { redisPath } from './redis/path.ts';
import { sendCommand } from './redis/server.ts';

/** The values of YAML and JSON. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: Json;
}

/** A manifest of Kubernetes. */
export type Manifest = JsonObject & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: JsonObject & { readonly name: string };
};

interface Kustomization {
  readonly apiVersion: string;
  readonly kind: 'Kustomization' | 'Component';
  readonly namespace?: string;
  readonly resources?: readonly string[];
  readonly components?: readonly string[];
  readonly patches?: readonly { readonly path: string }[];
  readonly images?: readonly Readonly<Record<'name' | 'newName' | 'newTag', string>>[];
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const known = ['apiVersion', 'kind', 'namespace', 'resources', 'components', 'patches', 'images'];

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Kind and name of a manifest. */
export const idOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;

const readManifests = (path: string): readonly Manifest[] =>
  parseAllDocuments(readFileSync(path, 'utf8')).map((document) => {
    if (document.errors.length > 0) throw new Error(`${path}: ${document.errors[0]?.message}`);
    return document.toJS() as Manifest;
  });

const nameOf = (item: Json): Json | undefined => (isObject(item) ? item.name : undefined);

/** Lists of named objects are merged by name, with new objects first; other lists are replaced. */
const mergeLists = (list: readonly Json[], patch: readonly Json[]): Json => {
  if (![...list, ...patch].every((item) => nameOf(item) !== undefined)) return patch;
  const isIn = (other: readonly Json[]) => (item: Json) =>
    other.some((one) => nameOf(one) === nameOf(item));
  const merged = list.map((item) => {
    const change = patch.find((one) => nameOf(one) === nameOf(item));
    return change === undefined ? item : merge(item, change);
  });
  return [...patch.filter((item) => !isIn(list)(item)), ...merged];
};

const merge = (value: Json | undefined, patch: Json): Json => {
  if (Array.isArray(value) && Array.isArray(patch)) return mergeLists(value, patch);
  if (!isObject(value) || !isObject(patch)) return patch;
  const members = Object.entries(patch).map(([name, change]) => [name, merge(value[name], change)]);
  return { ...value, ...Object.fromEntries(members) };
};

const withPatch = (manifests: readonly Manifest[], patch: Manifest): readonly Manifest[] => {
  if (!manifests.some((manifest) => idOf(manifest) === idOf(patch))) {
    throw new Error(`nothing to patch: ${idOf(patch)}`);
  }
  return manifests.map((manifest) =>
    idOf(manifest) === idOf(patch) ? (merge(manifest, patch) as Manifest) : manifest,
  );
};

const withImages = (value: Json, images: Kustomization['images'] = []): Json => {
  if (Array.isArray(value)) return value.map((item) => withImages(item, images));
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => {
    const image = name === 'image' ? images.find((one) => one.name === member) : undefined;
    return [name, image ? `${image.newName}:${image.newTag}` : withImages(member, images)];
  });
  return Object.fromEntries(members);
};

const withNamespace = (manifest: Manifest, namespace: string | undefined): Manifest =>
  namespace === undefined || manifest.kind === 'Namespace'
    ? manifest
    : { ...manifest, metadata: { ...manifest.metadata, namespace } };

/** Applies a folder's kustomization to existing manifests. */
const build = (folder: string, before: readonly Manifest[]): readonly Manifest[] => {
  const text = readFileSync(join(folder, 'kustomization.yaml'), 'utf8');
  const kustomization = parse(text) as Kustomization;
  const unknown = Object.keys(kustomization).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`${folder} has what is not rendered here: ${unknown}`);
  const { namespace, resources = [], components = [], patches = [], images } = kustomization;
  const added = resources.flatMap((resource) => {
    const path = join(folder, resource);
    return statSync(path).isDirectory() ? build(path, []) : readManifests(path);
  });
  const all = components.reduce<readonly Manifest[]>(
    (manifests, component) => build(join(folder, component), manifests),
    [...before, ...added],
  );
  const patched = patches
    .flatMap(({ path }) => readManifests(join(folder, path)))
    .reduce(withPatch, all);
  return patched.map((manifest) =>
    withNamespace(withImages(manifest, images) as Manifest, namespace),
  );
};

/**
 * The result of `kubectl kustomize` for a folder, limited to the features that `deploy/` uses. If kubectl is installed,
 * test/deploy/manifests.test.ts compares both.
 */
export const render = (folder: string): readonly Manifest[] => build(join(root, folder), []);

/** The value at a path: the manifest's kind and name, then members and list positions, separated by spaces. */
export const at = (manifests: readonly Manifest[], path: string): Json | undefined => {
  const [kind, name, ...members] = path.split(' ');
  const manifest = manifests.find((one) => idOf(one) === `${kind} ${name}`);
  return members.reduce<Json | undefined>((value, member) => {
    if (Array.isArray(value)) return value[Number(member)];
    return isObject(value) ? value[member] : undefined;
  }, manifest);
};

/** The objects in a list at a path. */
export const objectsAt = (manifests: readonly Manifest[], path: string): readonly JsonObject[] => {
  const value = at(manifests, path);
  return Array.isArray(value) ? value.filter(isObject) : [];
};

export interface ComposeService {
  readonly image?: string;
  readonly build?: string;
  readonly user?: string;
  readonly profiles?: readonly string[];
  readonly ports?: readonly string[];
  readonly command?: readonly [string, ...string[]];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly read_only?: boolean;
}

/**
 * The services of compose.yaml, with variables replaced as by Compose.
 * @throws Error with the text after `:?` if a required variable has no value.
 */
export const readCompose = (
  variables: Readonly<Record<string, string>>,
): Readonly<Record<string, ComposeService>> => {
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

/** The instructions of the Dockerfile in order, with continued lines joined and comments removed. */
export const dockerfile: readonly { readonly name: string; readonly value: string }[] = read(
  'Dockerfile',
)
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

/** The words of a command in list form, which runs without a shell. */
export const wordsOf = (value = 'null'): readonly [string, ...string[]] => {
  const words: unknown = JSON.parse(value);
  if (!Array.isArray(words) || typeof words[0] !== 'string') throw new Error('no list of words');
  return words as [string, ...string[]];
};

/** The environment variables of the image. */
export const imageEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  valuesOf('ENV')
    .flatMap((value) => value.trim().split(/\s+/))
    .map((pair) => pair.split(/=(.*)/).slice(0, 2)),
);

/** A real Redis on loopback, started by a command of `deploy/` or compose.yaml, until the test ends. */
export const startRedisBy = async ([program, ...args]: readonly [string, ...string[]]) => {
  if (redisPath === undefined) throw new Error('there is no redis-server here (REDIS_SERVER=path)');
  if (program !== 'redis-server') throw new Error(`not Redis: ${program}`);
  const folder = mkdtempSync(join(tmpdir(), 'sluice-redis-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (let tries = 0; tries < 20; tries += 1) {
    const port = drawPort();
    const here = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
    const redis = run({}, [redisPath, ...args, ...here]);
    const said = (text: string): boolean => redis.output.text.includes(text);
    await until(() => said('Ready to accept connections') || redis.child.exitCode !== null);
    if (redis.child.exitCode === null) return { ...redis, port };
    if (!said('Address already in use')) throw new Error(redis.output.text);
  }
  throw new Error('there is no free port for Redis');
};

/** The rules for Redis in every deployment: it evicts nothing, writes no file, and requires a password. */
export const redisRules = async (port: number, password: string) => {
  const setting = async (name: string): Promise<string> => {
    const reply = await sendCommand(port, password, ['CONFIG', 'GET', name]);
    return Array.isArray(reply) ? String(reply[1]) : '';
  };
  const stranger = sendCommand(port, undefined, ['PING']).then(
    () => 'is let in',
    (error: Error) => (error.message.includes('NOAUTH') ? 'is refused' : error.message),
  );
  return {
    policy: await setting('maxmemory-policy'),
    hasMaximum: Number(await setting('maxmemory')) > 0,
    snapshots: await setting('save'),
    log: await setting('appendonly'),
    stranger: await stranger,
  };
};

/** The expected result if all rules are met. */
export const keptRules = {
  ...{ policy: 'noeviction', hasMaximum: true, snapshots: '', log: 'no' },
  stranger: 'is refused',
};

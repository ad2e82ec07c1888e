import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';

/** What YAML and JSON can hold. */
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

const root = fileURLToPath(new URL('../../../', import.meta.url));
const known = ['apiVersion', 'kind', 'namespace', 'resources', 'components', 'patches', 'images'];

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Path and name of a manifest among others. */
export const idOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;

const readManifests = (path: string): readonly Manifest[] =>
  parseAllDocuments(readFileSync(path, 'utf8')).map((document) => {
    if (document.errors.length > 0) throw new Error(`${path}: ${document.errors[0]?.message}`);
    return document.toJS() as Manifest;
  });

const nameOf = (item: Json): Json | undefined => (isObject(item) ? item.name : undefined);

/** Lists of what has names are merged by name, what is new first; other lists are replaced. */
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

/** Applies a folder's kustomization to the manifests that there are already. */
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
 * The manifests that `kubectl kustomize` makes of a folder, for as much of kustomize as `deploy/` uses. Where there is a
 * kubectl, test/deploy/render.test.ts compares the two.
 */
export const render = (folder: string): readonly Manifest[] => build(join(root, folder), []);

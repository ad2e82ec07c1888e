import { expect, it } from 'vitest';
import { compile, createFolder, tsconfig } from '../support/client/folder.ts';
import { type Manifest, render } from '../support/deploy/render.ts';

/** Where the types of Kubernetes have each kind. */
const modules: Readonly<Record<string, string>> = {
  v1: 'core/v1',
  'apps/v1': 'apps/v1',
  'autoscaling/v2': 'autoscaling/v2',
  'policy/v1': 'policy/v1',
  'networking.k8s.io/v1': 'networking/v1',
};
const manifests = render('deploy/example');

/** A program that is correct if each manifest has the type of its kind, and no member that the type does not know. */
const programOf = (all: readonly Manifest[]): string =>
  all
    .map((manifest, index) => {
      const { apiVersion, kind } = manifest;
      const type = `import('kubernetes-types/${modules[apiVersion]}.js').${kind}`;
      return `export const manifest${index}: ${type} = ${JSON.stringify(manifest)};`;
    })
    .join('\n');

const faultsOf = async (all: readonly Manifest[]): Promise<string> => {
  const files = {
    'manifests.ts': programOf(all),
    'tsconfig.json': tsconfig({ noEmit: true, types: [] }),
  };
  return compile(await createFolder(files, ['kubernetes-types'])).then(
    () => '',
    (error: Error) => error.message,
  );
};

it('every manifest is of a kind that each cluster knows, and what the types of Kubernetes say of it', async () => {
  expect(manifests.filter(({ apiVersion }) => !(apiVersion in modules))).toEqual([]);
  expect(await faultsOf(manifests)).toBe('');
});

it('a member that Kubernetes does not know is found, and one that is absent', async () => {
  const wrong = manifests.map((manifest) =>
    JSON.parse(
      JSON.stringify(manifest).replace('readOnlyRootFilesystem', 'readOnlyRootFileSystem'),
    ),
  );
  expect(await faultsOf(wrong)).toMatch(/'"readOnlyRootFileSystem"' does not exist/);
  const absent = manifests.map((manifest) =>
    JSON.parse(JSON.stringify(manifest).replace('"maxReplicas":10,', '')),
  );
  expect(await faultsOf(absent)).toMatch(/'maxReplicas' is missing/);
});

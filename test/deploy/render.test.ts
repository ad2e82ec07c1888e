import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { kubectl, kubectlPath } from '../support/deploy/kubectl.ts';
import { idOf, type Manifest, render } from '../support/deploy/render.ts';

const sorted = (manifests: readonly Manifest[]): readonly Manifest[] =>
  [...manifests].sort((one, other) => idOf(one).localeCompare(idOf(other)));

describe('the manifests', () => {
  it.each([
    ['deploy/gateway', 6],
    ['deploy/example', 12],
  ])('of %s are as many as its files have, each once', (folder, count) => {
    const ids = render(folder).map(idOf);
    expect(ids).toHaveLength(count);
    expect(new Set(ids).size).toBe(count);
  });

  it('of the example are in its namespace and have its image', () => {
    const manifests = render('deploy/example');
    const elsewhere = manifests.filter(({ metadata }) => metadata.namespace !== 'sluice');
    expect(elsewhere.map(idOf)).toEqual(['Namespace sluice']);
    expect(JSON.stringify(manifests)).toContain('"image":"registry.example/sluice:0.1.0"');
  });

  // Without kubectl the other tests trust the renderer in test/support/deploy.
  it.skipIf(kubectlPath === undefined).each(['deploy/gateway', 'deploy/example'])(
    'of %s are what kubectl makes of it',
    (folder) => {
      const documents = parseAllDocuments(kubectl(['kustomize', folder]));
      const made = documents.map((document) => document.toJS() as Manifest);
      expect(sorted(render(folder))).toEqual(sorted(made));
    },
  );
});

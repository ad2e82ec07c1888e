import '../support/client/built.ts';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bundle, exporting } from '../support/client/folder.ts';

const read = (path: string): string =>
  readFileSync(new URL(`../../client/${path}`, import.meta.url), 'utf8');

const kilobytes = (code: string): number => gzipSync(code, { level: 9 }).length / 1000;

const [, sizes = ''] = read('README.md').split('## Size');
const [core, all, nodes, apollo] = [...sizes.matchAll(/^\| .* \| ([\d.]+) \|$/gm)].map(([, kB]) =>
  Number(kB),
);

describe('the client, minified and compressed', () => {
  it.each([
    ['alone', exporting('index'), core, 3.5],
    ['with all operations', exporting('index', 'operations'), all, 8.5],
    ['with all operations as document nodes alone', exporting('document-nodes'), nodes, 6],
    ["for Apollo's cache", exporting('apollo'), apollo, 1.5],
  ])('%s is as large as its README says', async (_, code, told = 0, most) => {
    const size = kilobytes(await bundle(code));
    expect(size).toBeLessThan(most);
    // Half of the last digit, and ten bytes, since processors compress a little differently.
    expect(Math.abs(size - told)).toBeLessThan(0.06);
  });

  it('holds only those operations that are imported', async () => {
    const everything = exporting('operations');
    const code = await bundle(everything.replace('*', '{ PipeDocument }'));
    expect(code).toContain('query Pipe(');
    expect(code).not.toContain('query Service(');
    expect(code).not.toContain('mutation');
  });

  it('imports nothing from elsewhere', async () => {
    const code = await bundle(exporting('index', 'operations', 'apollo'));
    expect(await bundle(exporting('document-nodes'))).not.toMatch(/\bimport\b|\brequire\b/);
    expect(code).not.toMatch(/\bimport\b|\brequire\b/);
    const manifest = JSON.parse(read('package.json'));
    expect(manifest).not.toHaveProperty('dependencies');
    // For the types of parsed documents alone.
    expect(manifest.peerDependencies).toEqual({ graphql: expect.any(String) });
    expect(manifest.peerDependenciesMeta).toEqual({ graphql: { optional: true } });
  });
});

import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createFolder } from '../support/client/folder.ts';
import type { Manifest } from '../support/deploy.ts';
import { read } from '../support/docs/pages.ts';

const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
    cwd: folder,
    encoding: 'utf8',
  });

const json = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`;
const client = { name: '@sluice/client', version: '0.2.0' };
const files = {
  'package.json': json({
    name: 'sluice',
    version: '0.2.0',
    type: 'module',
    workspaces: ['client'],
  }),
  'package-lock.json': json({ version: '0.2.0', packages: { '': { version: '0.2.0' }, client } }),
  'client/package.json': json(client),
  'examples/a/package-lock.json': json({
    version: '0.2.0',
    packages: { '../../client': { version: '0.2.0' }, 'node_modules/a': { version: '0.2.0' } },
  }),
  'releases/0.2.0.graphql': 'type Query { a: Int }\n',
  'guide.md': './sluice-client-0.2.0.tgz, gateway?ref=v0.2.0, and lru-cache 0.2.0\n',
  'schema.graphql': 'type Query { a: Int }\n',
  'CHANGELOG.md':
    '# Changelog\n\n## [Unreleased]\n\n- Added: more.\n\n## [0.2.0] - 2026-01-01\n\nOld.\n',
};

/** A small repository with the script, after its first release, 0.2.0. */
const makeRepository = async (): Promise<string> => {
  const folder = await createFolder({ ...files, 'release.ts': read('release.ts') }, []);
  git(folder, 'init', '--quiet');
  git(folder, 'config', 'user.name', 'A person');
  git(folder, 'config', 'user.email', 'person@example.com');
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message', 'All');
  return folder;
};

const release = (folder: string, ...args: readonly string[]) => {
  const words = [join(folder, 'release.ts'), ...args];
  const { status, stderr, stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  return { status, stderr, stdout };
};

describe('a release', () => {
  it.each<readonly [string, string, (folder: string) => void]>([
    ['git has changes', '0.3.0', (folder) => writeFileSync(join(folder, 'new'), '')],
    ['is not a version', 'v0.3', () => undefined],
    ['is not a version', '', () => undefined],
    ['the tag v0.3.0 exists', '0.3.0', (folder) => git(folder, 'tag', 'v0.3.0')],
    ['not older than 0.2.0', '0.2.0', () => undefined],
    ['not older than 0.1.9', '0.1.9', () => undefined],
    [
      'tells nothing below [Unreleased]',
      '0.3.0',
      (folder) => {
        const text = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8');
        writeFileSync(join(folder, 'CHANGELOG.md'), text.replace('- Added: more.', ''));
        git(folder, 'commit', '--quiet', '--all', '--message', 'Nothing');
      },
    ],
  ])('a release is refused: %s (%s)', async (reason, version, change) => {
    const folder = await makeRepository();
    change(folder);
    const head = git(folder, 'rev-parse', 'HEAD');
    expect(release(folder, version, '--commit')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(reason),
    });
    expect(git(folder, 'rev-parse', 'HEAD')).toBe(head);
  });

  it('a release is a commit with a tag, which has the version, the changelog and the schema', async () => {
    const folder = await makeRepository();
    expect(release(folder, '--tagged')).toMatchObject({ status: 1 });
    expect(release(folder, '0.10.0', '--commit')).toMatchObject({ status: 0, stderr: '' });
    expect(git(folder, 'tag', '--points-at', 'HEAD')).toBe('v0.10.0\n');
    expect(git(folder, 'status', '--porcelain')).toBe('');
    const text = (path: string) => readFileSync(join(folder, path), 'utf8');
    expect(text('CHANGELOG.md')).toMatch(
      /\n## \[Unreleased\]\n\n## \[0\.10\.0\] - \d{4}-\d\d-\d\d\n\nSchema: SHA-256 `[0-9a-f]{64}`\.\n\n- Added: more\.\n\n## \[0\.2\.0\]/,
    );
    expect(text('releases/0.10.0.graphql')).toBe(text('schema.graphql'));
    expect(text('guide.md')).toBe(
      './sluice-client-0.10.0.tgz, gateway?ref=v0.10.0, and lru-cache 0.2.0\n',
    );
    for (const path of ['package.json', 'client/package.json']) {
      expect(JSON.parse(text(path)).version).toBe('0.10.0');
    }
    expect(JSON.parse(text('package-lock.json'))).toEqual({
      version: '0.10.0',
      packages: {
        '': { version: '0.10.0' },
        client: { name: '@sluice/client', version: '0.10.0' },
      },
    });
    expect(JSON.parse(text('examples/a/package-lock.json'))).toMatchObject({
      version: '0.2.0',
      packages: { '../../client': { version: '0.10.0' }, 'node_modules/a': { version: '0.2.0' } },
    });
  });
});

it('the workflow of a release runs the code of dependencies without rights, and actions by their commit', () => {
  const { permissions, jobs } = parse(read('.github/workflows/release.yml'));
  expect([permissions, jobs.files.permissions]).toEqual([{}, { contents: 'read' }]);
  const steps: readonly Manifest[] = Object.values<Manifest>(jobs).flatMap((job) => job.steps);
  const actions = steps.flatMap(({ uses }) => uses ?? []);
  expect(actions.length).toBeGreaterThan(0);
  for (const action of actions) expect(action).toMatch(/^actions\/[a-z-]+@[0-9a-f]{40}$/);
  // A value of GitHub in a script could be code.
  for (const { run = '' } of steps) expect(run).not.toContain('${{');
  const published = jobs.publish.steps.flatMap(({ run = '' }) => run.match(/^npm .*$/gm) ?? []);
  expect(published).toHaveLength(2);
  for (const line of published) expect(line).toMatch(/^npm publish .*\.tgz" --provenance/);
});

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  byVersion,
  isBreaking,
  isPinned,
  mayBreak,
  untoldChanges,
} from '../support/schema-changes.ts';

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const changelog = read('CHANGELOG.md');
const folder = new URL('../../releases/', import.meta.url);
/** None before the first release. */
const files = existsSync(folder) ? readdirSync(folder) : [];
const releases = files.map((file) => file.replace(/\.graphql$/, '')).sort(byVersion);

/** Each release with the section of the changelog that came after it. */
const steps = releases.map((from, index) => ({ from, to: releases[index + 1] ?? 'Unreleased' }));

describe('releases', () => {
  it('are schemas named by version, up to the present one', () => {
    for (const file of files) expect(file).toMatch(/^\d+\.\d+\.\d+\.graphql$/);
    const { version } = JSON.parse(read('package.json'));
    expect([undefined, version]).toContain(releases.at(-1));
  });

  it('stand in the changelog with their dates, the newest first, below what is unreleased', () => {
    const headings = [...changelog.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading);
    const [first, ...dated] = headings;
    expect(first).toBe('[Unreleased]');
    expect(dated.map((heading) => heading.replace(/ - \d{4}-\d{2}-\d{2}$/, ''))).toEqual(
      releases.toReversed().map((release) => `[${release}]`),
    );
    for (const heading of dated) expect(heading).toMatch(/ - \d{4}-\d{2}-\d{2}$/);
  });

  it.each(releases)('%s has the schema that it had', (release) => {
    const sdl = read(`releases/${release}.graphql`);
    const pinned = isPinned(release, sdl, changelog);
    expect(pinned, `releases/${release}.graphql is not what CHANGELOG.md pins`).toBe(true);
    expect(isPinned(release, `${sdl}\n`, changelog)).toBe(false);
  });

  // A copy without its history has no tags to look at.
  it.runIf(existsSync(new URL('../../.git', import.meta.url)))('are not tagged unsaid', () => {
    const cwd = new URL('../..', import.meta.url);
    const tags = execFileSync('git', ['-c', 'safe.directory=*', 'tag', '--list', 'v*'], {
      cwd,
      encoding: 'utf8',
    });
    const denied = /the repository has no tags/.test(changelog);
    expect({ denied, tags }).toEqual({ denied, tags: denied ? '' : expect.anything() });
  });

  it.each(steps)('$from → $to: what can break clients is told', async ({ from, to }) => {
    const before = read(`releases/${from}.graphql`);
    const after = read(to === 'Unreleased' ? 'schema.graphql' : `releases/${to}.graphql`);
    expect(await untoldChanges(before, after, changelog, to)).toEqual([]);
    if (to === 'Unreleased' || mayBreak(from, to)) return;
    expect(
      await isBreaking(before, after),
      `${to} breaks clients of ${from}: number it higher`,
    ).toBe(false);
  });

  it.each([
    ['0.1.0', '0.1.1', false],
    ['0.9.0', '0.10.0', true],
    ['0.9.3', '1.0.0', true],
    ['1.9.0', '1.10.0', false],
    ['1.9.0', '2.0.0', true],
  ])('from %s to %s clients may break: %j', (from, to, allowed) => {
    expect(mayBreak(from, to)).toBe(allowed);
    expect([to, from].sort(byVersion)).toEqual([from, to]);
  });
});

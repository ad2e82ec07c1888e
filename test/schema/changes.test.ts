import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';
import { expect, it } from 'vitest';

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const changelog = read('CHANGELOG.md');
const folder = new URL('../../releases/', import.meta.url);
/** None before the first release. */
const files = existsSync(folder) ? readdirSync(folder) : [];
/** Sorts versions such as 0.9.0 and 0.10.0, the older first. */
const byVersion = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
const releases = files.map((file) => file.replace(/\.graphql$/, '')).sort(byVersion);

/** Each release with the section of the changelog that came after it. */
const steps = releases.map((from, index) => ({ from, to: releases[index + 1] ?? 'Unreleased' }));

/** Whether clients may break between these two versions, the older first. */
const mayBreak = (from: string, to: string): boolean => {
  const [[major, minor], [nextMajor, nextMinor]] = [from.split('.'), to.split('.')];
  return nextMajor !== major || (major === '0' && nextMinor !== minor);
};

/** The text below a heading, up to the next heading of its level; empty if there is no such heading. */
const below = (text: string, level: '##' | '###', heading: string): string =>
  text
    .split(new RegExp(`^${level} `, 'm'))
    .slice(1)
    .find((part) => part.startsWith(heading)) ?? '';

/** The subjects of a section's entries: the names in backticks before their colons. */
const subjects = (section: string): readonly string[] =>
  [...section.matchAll(/^- (`[^`\n]+`(?:(?:, | and )`[^`\n]+`)*): \S/gm)].flatMap(
    ([, names = '']) => names.split('`').filter((_, index) => index % 2 === 1),
  );

/** The headings for changes, by how much they can break. */
const headings: Readonly<Partial<Record<CriticalityLevel, readonly string[]>>> = {
  [CriticalityLevel.Breaking]: ['Breaking'],
  [CriticalityLevel.Dangerous]: ['Breaking', 'Changed', 'Added'],
};

/** What can break clients between two schemas: `breaks` or `may break`, and what a section of the changelog does not tell. */
const changesBetween = async (oldSdl: string, newSdl: string, section = '') => {
  const told = below(changelog.replace(/<!--[\s\S]*?-->/g, ''), '##', `[${section}]`);
  const changes = await diff(buildSchema(oldSdl), buildSchema(newSdl));
  return changes.flatMap(({ path = 'schema', message, criticality: { level } }) => {
    const fitting = headings[level];
    // A new reason of a deprecation breaks no client; adding or removing a deprecation is another change.
    if (!fitting || path.endsWith('.@deprecated.reason')) return [];
    const isTold = fitting.some((heading) =>
      subjects(below(told, '###', `${heading}\n`)).includes(path),
    );
    const isBreaking = level === CriticalityLevel.Breaking;
    const advice =
      `${message}, which ${isBreaking ? 'breaks' : 'may break'} clients. Undo it in schema/, or tell in CHANGELOG.md what ` +
      `clients have to do: in an entry that begins with “- \`${path}\`: ”, below “### ${fitting.join('” or “### ')}” of ` +
      `“## [${section}]”.`;
    return [{ isBreaking, isTold, advice }];
  });
};

/** Whether the section of a release has the SHA-256 of its schema, in hexadecimal digits. */
const isPinned = (release: string, sdl: string): boolean => {
  const sum = createHash('sha256').update(sdl).digest('hex');
  return below(changelog, '##', `[${release}]`).includes(`\nSchema: SHA-256 \`${sum}\`.\n`);
};

it('releases are schemas named by version, up to the present one', () => {
  for (const file of files) expect(file).toMatch(/^\d+\.\d+\.\d+\.graphql$/);
  const { version } = JSON.parse(read('package.json'));
  expect([undefined, version]).toContain(releases.at(-1));
});

it('releases stand in the changelog with their dates, the newest first, below what is unreleased', () => {
  const headings = [...changelog.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading);
  const [first, ...dated] = headings;
  expect(first).toBe('[Unreleased]');
  expect(dated.map((heading) => heading.replace(/ - \d{4}-\d{2}-\d{2}$/, ''))).toEqual(
    releases.toReversed().map((release) => `[${release}]`),
  );
  for (const heading of dated) expect(heading).toMatch(/ - \d{4}-\d{2}-\d{2}$/);
});

it.each(releases)('releases %s has the schema that it had', (release) => {
  const sdl = read(`releases/${release}.graphql`);
  const pinned = isPinned(release, sdl);
  expect(pinned, `releases/${release}.graphql is not what CHANGELOG.md pins`).toBe(true);
});

it.each(steps)('releases $from → $to: what can break clients is told', async ({ from, to }) => {
  const before = read(`releases/${from}.graphql`);
  const after = read(to === 'Unreleased' ? 'schema.graphql' : `releases/${to}.graphql`);
  const changes = await changesBetween(before, after, to);
  expect(changes.filter(({ isTold }) => !isTold).map(({ advice }) => advice)).toEqual([]);
  if (to === 'Unreleased' || mayBreak(from, to)) return;
  const breaking = changes.filter(({ isBreaking }) => isBreaking);
  expect(breaking, `${to} breaks clients of ${from}: number it higher`).toEqual([]);
});

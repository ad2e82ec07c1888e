import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { ChangeType, CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema, isEnumType, isInputObjectType, isObjectType } from 'graphql';
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
const changesBetween = async (oldSdl: string, newSdl: string, section: string, log = changelog) => {
  const told = below(log.replace(/<!--[\s\S]*?-->/g, ''), '##', `[${section}]`);
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

/** What can go from a schema. */
const removals: readonly string[] = [
  ChangeType.FieldRemoved,
  ChangeType.FieldArgumentRemoved,
  ChangeType.EnumValueRemoved,
  ChangeType.InputFieldRemoved,
];

const isDeprecated = (sdl: string, path: string): boolean => {
  const [name = '', member = '', argument = ''] = path.split('.');
  const type = buildSchema(sdl).getType(name);
  if (isEnumType(type)) return type.getValue(member)?.deprecationReason != null;
  if (isInputObjectType(type)) return type.getFields()[member]?.deprecationReason != null;
  const field = isObjectType(type) ? type.getFields()[member] : undefined;
  const found = argument === '' ? field : field?.args.find((each) => each.name === argument);
  return found?.deprecationReason != null;
};

interface Release {
  readonly version: string;
  readonly date: string;
  readonly sdl: string;
}

/** The days for which what goes was deprecated. */
const leastDays = 180;

/** From 1.0.0 on: what goes in the last of these releases, but was not deprecated for so long in those before. */
const goneTooEarly = async (history: readonly Release[]): Promise<readonly string[]> => {
  const [last, before] = history.toReversed();
  if (!last || !before || before.version.startsWith('0.')) return [];
  const changes = await diff(buildSchema(before.sdl), buildSchema(last.sdl));
  const gone = changes.flatMap(({ type, path }) =>
    path !== undefined && removals.includes(type) ? path : [],
  );
  return gone.filter((path) => {
    const earlier = history.slice(0, -1);
    const unmarked = earlier.findLastIndex(({ sdl }) => !isDeprecated(sdl, path));
    const since = earlier[unmarked + 1]?.date;
    const days = since === undefined ? 0 : (Date.parse(last.date) - Date.parse(since)) / 86_400_000;
    return days < leastDays;
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

it.each(steps.map(({ to }, index) => [to, releases.slice(0, index + 1)] as const))(
  'what goes in %s was deprecated before',
  async (to, earlier) => {
    const releaseOf = (version: string): Release => {
      const [, date = ''] = changelog.split(`\n## [${version}] - `);
      return { version, date: date.slice(0, 10), sdl: read(`releases/${version}.graphql`) };
    };
    const unreleased = { version: to, date: new Date().toJSON(), sdl: read('schema.graphql') };
    const last = to === 'Unreleased' ? unreleased : releaseOf(to);
    expect(await goneTooEarly([...earlier.map(releaseOf), last])).toEqual([]);
  },
);

const before = `type Query { a(x: ID, y: ID): ID! b: ID c: E d(of: I): U } enum E { A B }
  input I { m: ID n: ID } union U = V | W type V { v: ID } type W { w: ID }`;

it.each([
  ['a field that goes', ' b: ID', '', 'Query.b'],
  ['a type that goes', ' type W { w: ID }', '', 'W'],
  ['another type of a field', 'b: ID', 'b: Int', 'Query.b'],
  ['a field that may be null now', ': ID! b', ': ID b', 'Query.a'],
  ['an argument that goes', ', y: ID', '', 'Query.a.y'],
  ['another type of an argument', 'y: ID', 'y: [ID]', 'Query.a.y'],
  ['an argument that becomes required', 'y: ID', 'y: ID!', 'Query.a.y'],
  ['a new argument that is required', 'y: ID', 'y: ID, z: ID!', 'Query.a.z'],
  ['a value of an enum that goes', 'A B', 'A', 'E.B'],
  ['a member of an input that goes', ' n: ID', '', 'I.n'],
  ['a member of an input that becomes required', 'n: ID', 'n: ID!', 'I.n'],
  ['a new member of an input that is required', 'n: ID', 'n: ID o: ID!', 'I.o'],
])('%s breaks clients, and must be told in CHANGELOG.md', async (title, from, into, path) => {
  const whole = title === 'a type that goes' ? before.replace(' | W', '') : before;
  const changeOf = async (log: string) => {
    const changes = await changesBetween(before, whole.replace(from, into), '1.1.0', log);
    return changes.find(({ advice }) => advice.includes(`“- \`${path}\`: ”`));
  };
  const logged = (heading: string) =>
    `\n## [1.1.0]\n\n### ${heading}\n\n- \`${path}\`: how to go on.\n`;
  const untold = { isBreaking: true, isTold: false };
  expect(await changeOf('')).toMatchObject(untold);
  expect(await changeOf(logged('Added'))).toMatchObject(untold);
  expect(await changeOf(logged('Breaking'))).toMatchObject({ isBreaking: true, isTold: true });
});

it('what is new breaks no client', async () => {
  const after = `${before.replace('b: ID', 'b: ID e(x: ID): New').replace('n: ID', 'n: ID o: ID')} type New { a: ID }`;
  const changes = await changesBetween(before, after, '1.1.0', '');
  expect(changes.filter(({ isBreaking }) => isBreaking)).toEqual([]);
});

const marked = (text: string): string => `${text} @deprecated(reason: "Use another.")`;

it.each([
  ['Query.b', 'b: ID'],
  ['Query.a.y', 'y: ID'],
  ['E.B', 'B }'],
  ['I.n', 'n: ID'],
])('%s may go once it was deprecated for half a year', async (path, text) => {
  const [kept = '', end = ''] = /^(.*?)( \})?$/.exec(text)?.slice(1) ?? [];
  const deprecated = before.replace(text, marked(kept) + end);
  const without = before.replace(text, end);
  const history = (...all: readonly (readonly [version: string, date: string, sdl: string])[]) =>
    all.map(([version, date, sdl]) => ({ version, date, sdl }));
  const first = ['1.0.0', '2027-01-01', before] as const;
  const since = ['1.1.0', '2027-02-01', deprecated] as const;
  const early = goneTooEarly(history(first, since, ['2.0.0', '2027-07-01', without]));
  expect(await early).toEqual([path]);
  expect(await goneTooEarly(history(first, ['2.0.0', '2029-01-01', without]))).toEqual([path]);
  const late = goneTooEarly(history(first, since, ['2.0.0', '2027-08-01', without]));
  expect(await late).toEqual([]);
  const young = history(['0.1.0', '2027-01-01', before], ['0.2.0', '2027-02-01', without]);
  expect(await goneTooEarly(young)).toEqual([]);
});

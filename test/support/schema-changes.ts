import { createHash } from 'node:crypto';
import { type Change, CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';

/** The headings for changes, by how much they can break. */
const headings: Readonly<Partial<Record<CriticalityLevel, readonly string[]>>> = {
  [CriticalityLevel.Breaking]: ['Breaking'],
  [CriticalityLevel.Dangerous]: ['Breaking', 'Changed', 'Added'],
};

/** For changes whose path names only the type. */
const preciseNames: Readonly<Record<string, (meta: Readonly<Record<string, string>>) => string>> = {
  UNION_MEMBER_ADDED: (meta) => `${meta.unionName}.${meta.addedUnionMemberTypeName}`,
  UNION_MEMBER_REMOVED: (meta) => `${meta.unionName}.${meta.removedUnionMemberTypeName}`,
  OBJECT_TYPE_INTERFACE_ADDED: (meta) =>
    `${meta.objectTypeName} implements ${meta.addedInterfaceName}`,
  OBJECT_TYPE_INTERFACE_REMOVED: (meta) =>
    `${meta.objectTypeName} implements ${meta.removedInterfaceName}`,
};

/** A new reason of a deprecation breaks no client; adding or removing a deprecation is another change. */
const isWording = ({ path }: Change): boolean => path?.endsWith('.@deprecated.reason') === true;

const nameOf = ({ type, meta, path }: Change): string =>
  preciseNames[String(type)]?.(meta) ?? path ?? 'schema';

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

const changesBetween = async (oldSdl: string, newSdl: string): Promise<readonly Change[]> =>
  (await diff(buildSchema(oldSdl), buildSchema(newSdl))).filter((change) => !isWording(change));

/** Whether an operation that was valid, or its answer, may no longer be valid. */
export const isBreaking = async (oldSdl: string, newSdl: string): Promise<boolean> =>
  (await changesBetween(oldSdl, newSdl)).some(
    ({ criticality }) => criticality.level === CriticalityLevel.Breaking,
  );

/**
 * A sentence for each change between two schemas that can break clients and for which the section `## [<section>]` of the
 * changelog has no entry below a suitable heading.
 */
export const untoldChanges = async (
  oldSdl: string,
  newSdl: string,
  changelog: string,
  section = 'Unreleased',
): Promise<readonly string[]> => {
  const visible = changelog.replace(/<!--[\s\S]*?-->/g, '');
  const told = below(visible, '##', `[${section}]`);
  const changes = await changesBetween(oldSdl, newSdl);
  return changes.flatMap((change) => {
    const fitting = headings[change.criticality.level] ?? [];
    const name = nameOf(change);
    const isTold = fitting.some((heading) =>
      subjects(below(told, '###', `${heading}\n`)).includes(name),
    );
    if (fitting.length === 0 || isTold) return [];
    const places = fitting.map((heading) => `“### ${heading}”`).join(' or ');
    const effect = fitting.length === 1 ? 'breaks clients' : 'may break clients';
    return [
      `${change.message}, which ${effect}. Undo it in schema/, or tell in CHANGELOG.md what ` +
        `clients have to do: in an entry that begins with “- \`${name}\`: ”, below ${places} of ` +
        `“## [${section}]”.`,
    ];
  });
};

/** Whether the section of a release has the SHA-256 of its schema, in hexadecimal digits. */
export const isPinned = (release: string, sdl: string, changelog: string): boolean => {
  const sum = createHash('sha256').update(sdl).digest('hex');
  return below(changelog, '##', `[${release}]`).includes(`\nSchema: SHA-256 \`${sum}\`.\n`);
};

const numbers = (version: string): readonly number[] => version.split('.').map(Number);

/** Sorts versions such as 0.9.0 and 0.10.0, the older first. */
export const byVersion = (a: string, b: string): number =>
  numbers(a)
    .map((number, index) => number - (numbers(b)[index] ?? 0))
    .find((difference) => difference !== 0) ?? 0;

/** Whether clients may break between these two versions. */
export const mayBreak = (from: string, to: string): boolean => {
  const [major = 0, minor = 0] = numbers(from);
  const [nextMajor = 0, nextMinor = 0] = numbers(to);
  return nextMajor > major || (major === 0 && nextMinor > minor);
};

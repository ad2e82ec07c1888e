import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNullableType,
  isInputObjectType,
  isListType,
} from 'graphql';
import { withStop } from './sentence.ts';

/** Finds members: a quoted name or path, a path with a point or index, or a name and a colon that begin a sentence. */
const names =
  /["'`“‘]([\w.[\]-]{1,200})["'`”’]|(?<![\w.])(\w+(?:\.\w+|\[\d+\])+)|(?:^|[.!?:] )(\w+)(?=: )/g;

/**
 * The spelling in which names are compared: on the wire some have underscores, or begin with `clickhouse_`, and `expiresAt`
 * is `expireAt`, and `seekAt` is `seekTimestamp`.
 */
const plain = (name: string): string =>
  name
    .replaceAll(/[^a-z0-9]/gi, '')
    .toLowerCase()
    .replace(/^clickhouse/, 'engine')
    .replace(/^expireat$/, 'expiresat')
    .replace(/^seektimestamp$/, 'seekat');

const fieldOf = (type: GraphQLInputObjectType, name: string) =>
  Object.values(type.getFields()).find((field) => plain(field.name) === plain(name));

/** The longest start of a path that the type has. */
const known = (type: GraphQLInputType, [first, ...rest]: readonly string[]): readonly string[] => {
  const nullable = getNullableType(type);
  if (first === undefined) return [];
  if (isListType(nullable)) {
    return /^\d+$/.test(first) ? [first, ...known(nullable.ofType, rest)] : [];
  }
  const field = isInputObjectType(nullable) ? fieldOf(nullable, first) : undefined;
  return field ? [field.name, ...known(field.type, rest)] : [];
};

/** The paths of all members with this name in a value. */
const pathsOf = (value: unknown, name: string): readonly (readonly string[])[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(!Array.isArray(value) && plain(key) === plain(name) ? [[key]] : []),
    ...pathsOf(inner, name).map((path) => [key, ...path]),
  ]);
};

/**
 * Possible first names of an upstream's path that the input lacks: validators add the part of the request, and the
 * input may have the members of a source beside `source`.
 */
const fronts: ReadonlySet<string> = new Set(['body', 'source']);

const segmentsOf = (name: string): readonly string[] =>
  name.split(/[.[\]]+/).filter((segment) => segment !== '');

/** The path in the input that an upstream's path means, as far as the input has it. */
const inputPath = (
  type: GraphQLInputObjectType,
  segments: readonly string[],
): readonly string[] | undefined => {
  const whole = known(type, segments);
  const [first = '', ...rest] = segments;
  const later = fronts.has(first) ? known(type, rest) : [];
  const [path, given] = later.length >= whole.length ? [later, rest] : [whole, segments];
  // One known name in a longer path says nothing: the path may be a host.
  return path.length > 1 || (path.length === 1 && given.length === 1) ? path : undefined;
};

/**
 * The path below `input` of the first member that an upstream's message names: as a path, quoted, or before a colon.
 * Null if it names none. The path has only names of the schema and indices.
 */
const namedMember = (
  words: string,
  type: GraphQLInputObjectType,
  input: unknown,
): readonly string[] | null => {
  for (const [, ...found] of words.matchAll(names)) {
    const name = found.find((each) => each !== undefined) ?? '';
    const segments = segmentsOf(name);
    const path = inputPath(type, segments);
    if (path) return path;
    const [own, another] = segments.length === 1 ? pathsOf(input, name) : [];
    if (own && !another) return own;
  }
  return null;
};

/** Where an issue begins: the name or path of a member, before a colon. */
const issueStart = /(?<=^|[.!?;:] )[\w.[\]-]{1,200}(?=: )/g;

/** An upstream's message in parts: each issue after the first one apart. */
const issuesOf = (words: string, type: GraphQLInputObjectType): readonly string[] => {
  const starts = [...words.matchAll(issueStart)]
    .filter(([name]) => inputPath(type, segmentsOf(name)))
    .map(({ index }) => index);
  return [0, ...starts.slice(1)].map((start, at) => words.slice(start, starts[at + 1]));
};

/** The message of each issue in an upstream's message, with the path of the member that it names. */
export const namedMembers = (words: string, type: GraphQLInputObjectType, input: unknown) =>
  issuesOf(words, type).map((issue) => ({
    message: withStop(issue),
    field: namedMember(issue, type, input),
  }));

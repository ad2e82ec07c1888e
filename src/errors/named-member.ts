import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNullableType,
  isInputObjectType,
  isListType,
} from 'graphql';
import { withStop } from './sentence.ts';

/** A quoted name or path; a path with a point or an index; or a name before a colon at the start of a sentence. */
const names =
  /["'`“‘]([\w.[\]-]{1,200})["'`”’]|(?<![\w.])(\w+(?:\.\w+|\[\d+\])+)|(?:^|[.!?:] )(\w+)(?=: )/g;

/** The spelling in which names of both sides are compared: on the wire some have underscores, or begin with `clickhouse_`. */
const plain = (name: string): string =>
  name
    .replaceAll(/[^a-z0-9]/gi, '')
    .toLowerCase()
    .replace(/^clickhouse/, 'engine');

const fieldOf = (type: GraphQLInputObjectType, name: string) =>
  Object.values(type.getFields()).find((field) => plain(field.name) === plain(name));

/** The part of a path that the type has, from its start. */
const known = (type: GraphQLInputType, [first, ...rest]: readonly string[]): readonly string[] => {
  const nullable = getNullableType(type);
  if (first === undefined) return [];
  if (isListType(nullable)) {
    return /^\d+$/.test(first) ? [first, ...known(nullable.ofType, rest)] : [];
  }
  const field = isInputObjectType(nullable) ? fieldOf(nullable, first) : undefined;
  return field ? [field.name, ...known(field.type, rest)] : [];
};

/** The paths of all members of a value that have the name. */
const pathsOf = (value: unknown, name: string): readonly (readonly string[])[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(!Array.isArray(value) && plain(key) === plain(name) ? [[key]] : []),
    ...pathsOf(inner, name).map((path) => [key, ...path]),
  ]);
};

/** Validators put the part of the request in front, and members of a source may stand beside it in the input. */
const fronts: ReadonlySet<string> = new Set(['body', 'source']);

const segmentsOf = (name: string): readonly string[] =>
  name.split(/[.[\]]+/).filter((segment) => segment !== '');

/** The path of the input that is meant by the upstream's path, as far as the input has it. */
const inputPath = (
  type: GraphQLInputObjectType,
  segments: readonly string[],
): readonly string[] | undefined => {
  const whole = known(type, segments);
  const [first = '', ...rest] = segments;
  const later = fronts.has(first) ? known(type, rest) : [];
  const [path, given] = later.length >= whole.length ? [later, rest] : [whole, segments];
  // Of a path with more than a member's name, as of a host, one known name says nothing.
  return path.length > 1 || (path.length === 1 && given.length === 1) ? path : undefined;
};

/**
 * The path below `input` of the first member that an upstream's words name: as a path, quoted, or before a colon. Null if they
 * name none. Only names of the schema and indices are in it.
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

/** An upstream's words, with each issue after the first by itself. */
const issuesOf = (words: string, type: GraphQLInputObjectType): readonly string[] => {
  const starts = [...words.matchAll(issueStart)]
    .filter(([name]) => inputPath(type, segmentsOf(name)))
    .map(({ index }) => index);
  return [0, ...starts.slice(1)].map((start, at) => words.slice(start, starts[at + 1]));
};

/** The message of each issue in an upstream's words, with the path of the member that it names. */
export const namedMembers = (words: string, type: GraphQLInputObjectType, input: unknown) =>
  issuesOf(words, type).map((issue) => ({
    message: withStop(issue),
    field: namedMember(issue, type, input),
  }));

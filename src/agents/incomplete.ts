import type { GraphQLError } from 'graphql';
import { isObject } from '../is-object.ts';
import type { JsonObject } from './protocol.ts';
import { longest, toText } from './text.ts';

/** The most characters of an answer that is whole after some seconds, since its agent calls again then. */
const mostCharacters = 6000;

/** An answer to a read. */
interface Read {
  readonly data: JsonObject;
  /** Whether the agent has written the query, and so chosen the names. */
  readonly isOwn: boolean;
  readonly errors: readonly GraphQLError[];
  /** The services that the agent's own query could not read, whether or not it has asked for them. */
  readonly unread: readonly JsonObject[];
  /** See `ProgressNow`. */
  readonly progress: unknown;
  readonly messageOf: (error: GraphQLError) => string;
}

/** What an answer says first if it is not whole; undefined if it is whole. */
type Incomplete = JsonObject | undefined;

/** The most kinds of failures that are told. */
const mostKinds = 10;

const unreadName = 'unreadServices';
const totalName = 'totalCount';

/** The value without some members of its objects, at any depth. */
const without = (value: unknown, names: readonly string[]): unknown => {
  if (Array.isArray(value)) return value.map((item) => without(item, names));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !names.includes(name));
  return Object.fromEntries(kept.map(([name, member]) => [name, without(member, names)]));
};

const membersOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** The services that could not be read, from all lists of them. */
const unreadIn = (value: unknown): readonly JsonObject[] => {
  if (Array.isArray(value)) return value.flatMap(unreadIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === unreadName && Array.isArray(member) ? member.filter(isObject) : unreadIn(member),
  );
};

const placeOf = ({ path = [] }: GraphQLError): string =>
  path.map((part) => (typeof part === 'number' ? '*' : part)).join('.');

const latest = (seconds: readonly unknown[]): number | undefined => {
  const known = seconds.filter((each) => typeof each === 'number');
  return known.length > 0 ? Math.max(...known) : undefined;
};

const secondsOf = ({ extensions }: GraphQLError): unknown => extensions.retryAfterSeconds;

/** The parts that failed. Errors of one code at one place of several items are one kind, and come once. */
const failedIn = ({ errors, messageOf }: Read): readonly JsonObject[] => {
  const kinds = Map.groupBy(errors, (error) => `${error.extensions.code} ${placeOf(error)}`);
  return [...kinds.values()].slice(0, mostKinds).flatMap((all) => {
    const [error] = all;
    if (!error) return [];
    const count = all.length > 1 ? all.length : undefined;
    const { code } = error.extensions;
    const retryAfterSeconds = latest(all.map(secondsOf));
    return [{ path: placeOf(error), code, count, message: messageOf(error), retryAfterSeconds }];
  });
};

const incompleteOf = (read: Read): Incomplete => {
  const { data, isOwn, errors, progress } = read;
  const unread = isOwn ? read.unread : unreadIn(data);
  const { ready, wanted, completeInSeconds } = isObject(progress) ? progress : {};
  if (wanted === undefined && errors.length === 0 && unread.length === 0) return undefined;
  const codes = Map.groupBy(unread, ({ code }) => String(code));
  const waits = [...unread.map((each) => each.retryAfterSeconds), ...errors.map(secondsOf)];
  return {
    ...{ ready, wanted, wholeInSeconds: latest([completeInSeconds, ...waits]) },
    ...(unread.length > 0 && {
      [unreadName]: Object.fromEntries([...codes].map(([code, all]) => [code, all.length])),
    }),
    ...(errors.length > 0 && { failed: failedIn(read) }),
    // An alias hides which of its numbers are totals.
    ...(isOwn && { totals: 'Lists and totals have only what was read.' }),
  };
};

/** The value with at most `most` items in each list, and how many items it lacks, by the place of their lists. */
const shortened = (value: unknown, most: number) => {
  const notShown: Record<string, number> = {};
  const shorten = (part: unknown, place: string): unknown => {
    if (Array.isArray(part)) {
      const more = part.length - most;
      if (more > 0) notShown[place] = (notShown[place] ?? 0) + more;
      return part.slice(0, most).map((item) => shorten(item, place));
    }
    if (!isObject(part)) return part;
    return Object.fromEntries(
      Object.entries(part).map(([name, member]) => [
        name,
        shorten(member, place === '' ? name : `${place}.${name}`),
      ]),
    );
  };
  return { shown: shorten(value, ''), notShown };
};

const longestList = (value: unknown): number => {
  if (Array.isArray(value)) return Math.max(value.length, ...value.map(longestList));
  return isObject(value) ? Math.max(0, ...Object.values(value).map(longestList)) : 0;
};

/**
 * The text of an answer to a read. An answer that is not whole begins with what is missing, and has no total. If it is
 * too long, its lists have their first items only.
 */
export const textOfRead = (read: Read, rest: JsonObject, maxCharacters: number): string => {
  const incomplete = incompleteOf(read);
  const leftOut = incomplete ? [unreadName, totalName] : [unreadName];
  const data = read.isOwn ? read.data : without(read.data, leftOut);
  if (!incomplete) return toText({ ...membersOf(data), ...rest }, longest.read);
  const textWith = (items: number, characters: number): string => {
    const { shown, notShown } = shortened(data, items);
    const isShort = Object.keys(notShown).length > 0;
    const told = { ...incomplete, ...(isShort && { notShown }) };
    return toText({ incomplete: told, ...membersOf(shown), ...rest }, characters);
  };
  const isWholeLater = incomplete.wholeInSeconds !== undefined;
  const most = isWholeLater ? Math.min(mostCharacters, maxCharacters) : maxCharacters;
  const whole = textWith(Infinity, longest.read);
  if (whole.length <= most) return whole;
  let [fits, fitsNot] = [0, longestList(data) + 1];
  while (fitsNot - fits > 1) {
    const items = Math.floor((fits + fitsNot) / 2);
    if (textWith(items, longest.write).length <= most) fits = items;
    else fitsNot = items;
  }
  return textWith(fits, longest.write);
};

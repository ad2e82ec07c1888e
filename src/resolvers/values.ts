import { GraphQLError } from 'graphql';
import { isObject } from '../is-object.ts';

/** Some root fields with their resolvers: a missing resolver does not compile. */
export type RootsOf<Resolvers, Names extends keyof Resolvers> = Required<Pick<Resolvers, Names>>;

/**
 * A record's list, for a resolver that converts it; null if there is none. Throws the error that is stored in the list's
 * place, and refuses other values with the executor's message.
 */
export const asList = <Item>(
  value: readonly Item[] | null | undefined,
): readonly Item[] | null | undefined => {
  const list: unknown = value;
  if (list instanceof Error) throw list;
  if (value !== null && value !== undefined && !Array.isArray(list)) {
    throw new TypeError('Expected Iterable');
  }
  return value;
};

/**
 * A record's object, for a resolver that converts it; null if there is none. Refuses other values with the executor's
 * message.
 */
export const asObject = <Value extends object>(
  value: Value | null | undefined,
): Value | null | undefined => {
  if (value === null || value === undefined || isObject(value)) return value;
  throw new TypeError('Expected value of type "Object"');
};

/** Throws for an argument `first` that is not a length. */
export const checkLength = (first: number | null | undefined): void => {
  if ((first ?? 0) >= 0) return;
  throw new GraphQLError(`first must be at least 0, got ${first}.`, {
    extensions: { code: 'BAD_USER_INPUT', retryable: false },
  });
};

/**
 * Makes the reader of an output enum, from the wire string to the enum value: UNKNOWN for strings that the schema does not
 * know, null for absent values.
 */
export const enumReader = <Value extends string>(wireStrings: Readonly<Record<Value, string>>) => {
  const values = new Map(
    (Object.entries(wireStrings) as [Value, string][]).map(([value, wire]) => [wire, value]),
  );
  return (wire: string | null | undefined): Value | 'UNKNOWN' | null =>
    wire === null || wire === undefined ? null : (values.get(wire) ?? 'UNKNOWN');
};

import { GraphQLError } from 'graphql';
import { isObject } from '../is-object.ts';

/** The resolvers of the named root fields. All are required, so a missing resolver does not compile. */
export type RootsOf<Resolvers, Names extends keyof Resolvers> = Required<Pick<Resolvers, Names>>;

/**
 * A record's list, for a resolver that converts it; null if there is none. Throws an error that is stored in the list's
 * place. For any other value, throws the executor's message.
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
 * A record's object, for a resolver that converts it; null if there is none. For any other value, throws the executor's
 * message.
 */
export const asObject = <Value extends object>(
  value: Value | null | undefined,
): Value | null | undefined => {
  if (value === null || value === undefined || isObject(value)) return value;
  throw new TypeError('Expected value of type "Object"');
};

/** Throws if the argument `first` is negative. */
export const checkLength = (first: number | null | undefined): void => {
  if ((first ?? 0) >= 0) return;
  throw new GraphQLError(`first must be at least 0, got ${first}.`, {
    extensions: { code: 'BAD_USER_INPUT', retryable: false },
  });
};

/**
 * Makes the function that converts a wire string to a value of an output enum: UNKNOWN for a string that the schema does not
 * have, null for an absent value.
 */
export const enumReader = <Value extends string>(wireStrings: Readonly<Record<Value, string>>) => {
  const values = new Map(
    (Object.entries(wireStrings) as [Value, string][]).map(([value, wire]) => [wire, value]),
  );
  return (wire: string | null | undefined): Value | 'UNKNOWN' | null =>
    wire === null || wire === undefined ? null : (values.get(wire) ?? 'UNKNOWN');
};

import { isDeepStrictEqual } from 'node:util';
import type { ExecutionResult, GraphQLError } from 'graphql';
import { expect } from 'vitest';

/** The result of an execution, as texts that must be equal. */
export interface Outcome {
  readonly result: ExecutionResult;
  /** The result's members and its data, in their order. */
  readonly data: string;
  readonly errors: readonly string[];
  /** The calls of resolvers. */
  readonly calls: readonly string[];
}

/** The executor's messages, in place of graphql-js' messages that quote a value. */
const ownWords = (message: string): string =>
  message
    .replace(/^(Expected `\w+\.serialize)\(.*/s, '$1` to return a value.')
    .replace(/^(Abstract type "\w+" must resolve to )an .* with value .*/s, '$1the name of a type.')
    .replace(/^(Expected value of type "\w+") but got: .*/s, '$1.');

const describe = ({ message, path, locations, extensions, originalError }: GraphQLError): string =>
  JSON.stringify([
    ...[ownWords(message), path, locations, extensions, originalError?.constructor.name],
    originalError && 'thrownValue' in originalError && String(originalError.thrownValue),
  ]);

/** Converted at once, so that later changes do not affect it. */
export const outcomeOf = (result: ExecutionResult, calls: readonly string[]): Outcome => ({
  result,
  data: JSON.stringify([Object.keys(result), result.data]),
  errors: (result.errors ?? []).map(describe),
  calls,
});

/** Like `expect(…).toEqual`, which is a hundred times slower for equal values. */
export const expectSame = (actual: unknown, expected: unknown, what: string): void => {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, what).toEqual(expected);
};

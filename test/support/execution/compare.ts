import { isDeepStrictEqual } from 'node:util';
import { type ExecutionResult, GraphQLError } from 'graphql';
import { expect } from 'vitest';

/** What an execution gave, as texts that tell all that is to be the same. */
export interface Outcome {
  readonly result: ExecutionResult;
  /** The result's members and its data, in their order. */
  readonly data: string;
  readonly errors: readonly string[];
  /** The calls of resolvers. */
  readonly calls: readonly string[];
}

/** The executor's own words, in place of those in which graphql-js quotes a value. */
const ownWords = (message: string): string =>
  message
    .replace(
      /^Expected `(\w+)\.serialize\(.*\)` to return non-nullable value, returned: .*$/s,
      'Expected `$1.serialize` to return a value.',
    )
    .replace(
      /^(Abstract type "\w+" must resolve to )an Object type at runtime for field "[\w.]+" with value .*$/s,
      '$1the name of a type.',
    )
    .replace(/^(Expected value of type "\w+") but got: .*\.$/s, '$1.');

const describeOriginal = (original: unknown): unknown => {
  if (!(original instanceof Error)) return original;
  const thrown = 'thrownValue' in original && String(original.thrownValue);
  return [original.constructor.name, ownWords(original.message), thrown];
};

const describe = (error: GraphQLError): string => {
  const { message, path, locations, extensions, nodes, originalError } = error;
  return JSON.stringify([
    error instanceof GraphQLError,
    ownWords(message),
    path,
    locations,
    extensions,
    nodes?.map(({ kind, loc }) => [kind, loc?.start]),
    describeOriginal(originalError),
  ]);
};

/** Described at once, so that what comes late does not change it unseen. */
export const outcomeOf = (result: ExecutionResult, calls: readonly string[]): Outcome => ({
  result,
  data: JSON.stringify([Object.keys(result), result.data]),
  errors: (result.errors ?? []).map(describe),
  calls,
});

/** `expect(…).toEqual`, which takes a hundred times as long where there is nothing to tell. */
export const expectSame = (actual: unknown, expected: unknown, what: string): void => {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, what).toEqual(expected);
};

const at = (data: unknown, key: string | number): unknown =>
  typeof data === 'object' && data !== null ? Reflect.get(data, key) : undefined;

const valueAt = (data: unknown, path: GraphQLError['path'] = []): unknown => path.reduce(at, data);

/** The position that became null for the error: the error's own, or one above it by propagation. */
const nulledBy = ({ path = [] }: GraphQLError, data: unknown): readonly (string | number)[] => {
  const length = path.findIndex((_, index) => valueAt(data, path.slice(0, index)) === null);
  const position = length === -1 ? path : path.slice(0, length);
  expectSame(valueAt(data, position), null, `where an error is, at ${path.join('.')}`);
  return position;
};

export const isPropagated = (error: GraphQLError, data: unknown): boolean =>
  nulledBy(error, data).length < (error.path?.length ?? 0);

/** By nulled position, its errors. */
const byPosition = ({ result, errors }: Outcome): Map<string, { text: string; far: boolean }[]> =>
  Map.groupBy(
    (result.errors ?? []).map((error, index) => ({
      position: nulledBy(error, result.data).join('.'),
      text: errors[index] ?? '',
      far: isPropagated(error, result.data),
    })),
    ({ position }) => position,
  );

/**
 * Whether an error is one of those that a run without propagation has, or a null that it has there. It
 * has nothing where a list broke off, which strict items may fail before.
 */
const couldArise = (error: GraphQLError, text: string, lenient: Outcome): boolean =>
  lenient.errors.includes(text) ||
  (error.message.startsWith('Cannot return null for non-nullable field ') &&
    (valueAt(lenient.result.data, error.path) ?? null) === null);

/**
 * The same errors, but for those below a position that is null because one of them propagated: once it
 * is null further ones are dropped, so which are left depends on which came first. There, both have
 * some, and each could arise in a run in which nothing propagates.
 */
export const expectErrorsAgree = async (
  actual: Outcome,
  expected: Outcome,
  runLeniently: () => Promise<Outcome>,
): Promise<void> => {
  if (isDeepStrictEqual(actual.errors.toSorted(), expected.errors.toSorted())) return;
  const [ours, theirs] = [byPosition(actual), byPosition(expected)];
  expect([...ours.keys()].sort(), 'nulled positions').toEqual([...theirs.keys()].sort());
  for (const [position, errors] of ours) {
    const others = theirs.get(position) ?? [];
    if ([...errors, ...others].every(({ far }) => far)) continue;
    const texts = [errors, others].map((group) => group.map(({ text }) => text).sort());
    expect(texts[0], `errors at ${position}`).toEqual(texts[1]);
  }
  const lenient = await runLeniently();
  for (const [index, error] of (actual.result.errors ?? []).entries()) {
    const text = actual.errors[index] ?? '';
    expect(couldArise(error, text, lenient), `${text} could arise`).toBe(true);
  }
  expect(new Set(actual.errors).size, 'no error twice').toBe(actual.errors.length);
};

/**
 * The same calls in whichever order. Beside what nulls a parent a call may be missing, as its result is
 * dropped.
 */
export const expectCallsAgree = (actual: Outcome, expected: Outcome): void => {
  if (isDeepStrictEqual(actual.calls, expected.calls)) return;
  const left = new Map<string, number>();
  for (const call of expected.calls) left.set(call, (left.get(call) ?? 0) + 1);
  for (const call of actual.calls) left.set(call, (left.get(call) ?? 0) - 1);
  const isMore = [...left].filter(([, number]) => number < 0).map(([call]) => call);
  expect(isMore, 'calls beyond those of graphql-js').toEqual([]);
  const { data, errors = [] } = expected.result;
  if (!data || errors.some((error) => isPropagated(error, data))) return;
  expect(actual.calls.length, 'number of calls').toBe(expected.calls.length);
};

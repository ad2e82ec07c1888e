import { isDeepStrictEqual } from 'node:util';
import { type ExecutionResult, GraphQLError } from 'graphql';
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

const at = (data: unknown, key: string | number): unknown =>
  typeof data === 'object' && data !== null ? Reflect.get(data, key) : undefined;

const valueAt = (data: unknown, path: GraphQLError['path'] = []): unknown => path.reduce(at, data);

/** The position that the error made null: its own, or an ancestor by propagation. */
const nulledBy = ({ path = [] }: GraphQLError, data: unknown): readonly (string | number)[] => {
  const length = path.findIndex((_, index) => valueAt(data, path.slice(0, index)) === null);
  const position = length === -1 ? path : path.slice(0, length);
  expectSame(valueAt(data, position), null, `where an error is, at ${path.join('.')}`);
  return position;
};

export const isPropagated = (error: GraphQLError, data: unknown): boolean =>
  nulledBy(error, data).length < (error.path?.length ?? 0);

/** The errors of each position that became null. */
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
 * Whether an error occurs in a run without null propagation, or matches a null in that run. The run has nothing at the place
 * if a list broke off, and strict items may fail earlier.
 */
const couldArise = (error: GraphQLError, text: string, lenient: Outcome): boolean =>
  lenient.errors.includes(text) ||
  (error.message.startsWith('Cannot return null for non-nullable field ') &&
    (valueAt(lenient.result.data, error.path) ?? null) === null);

/**
 * Expects the same errors, except below a position that became null by propagation: once it is null, further errors are
 * dropped, so the remaining ones depend on timing. There, both executions must have an error, and each must be possible in a
 * run without propagation.
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
 * Expects the same calls in any order. Next to a field that makes its parent null, a call may be missing, since its result
 * is dropped.
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

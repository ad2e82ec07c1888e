import type { ExecutionResult, GraphQLError } from 'graphql';

type Extensions = ExecutionResult['extensions'];

type WithErrors = Pick<ExecutionResult, 'errors'>;

/** A part of a response: the first part, or a later part with deferred fields. */
export interface Part extends ExecutionResult {
  readonly incremental?: readonly ExecutionResult[];
  /** The deferred fragments that end with this part, each with the errors that left it without data. */
  readonly completed?: readonly WithErrors[];
  readonly hasNext?: boolean;
}

/** All errors of a part, at any level. */
export const errorsOf = (part: Part): readonly GraphQLError[] => {
  const { errors = [], incremental = [], completed = [] } = part;
  return [...errors, ...[...incremental, ...completed].flatMap((each) => each.errors ?? [])];
};

const withErrors = <Result extends WithErrors>(
  result: Result,
  change: (errors: readonly GraphQLError[]) => readonly GraphQLError[],
): Result => (result.errors ? { ...result, errors: change(result.errors) } : result);

/** A part with its errors replaced. */
export const changeErrors = (
  part: Part,
  change: (errors: readonly GraphQLError[]) => readonly GraphQLError[],
): Part => {
  const changed = withErrors(part, change);
  const { incremental, completed } = changed;
  return {
    ...changed,
    ...(incremental && { incremental: incremental.map((each) => withErrors(each, change)) }),
    ...(completed && { completed: completed.map((each) => withErrors(each, change)) }),
  };
};

/**
 * The last part with extensions. If it has data, the extensions follow in a separate part, since Apollo Client ignores
 * them in a part that has `incremental`.
 */
const withExtensions = (last: Part, extensions: NonNullable<Extensions>): readonly Part[] => {
  if (!last.incremental) {
    return [{ ...last, extensions: { ...last.extensions, ...extensions } }];
  }
  return [
    { ...last, hasNext: true },
    { hasNext: false, extensions },
  ];
};

interface PartsHandler {
  readonly onPart?: (part: Part) => Part;
  /** Makes the extensions of the first part; undefined if there are none yet. */
  readonly firstExtensions?: () => Extensions;
  /** Makes the extensions of the last part; undefined if there are none. */
  readonly lastExtensions?: () => Extensions;
  /** Called once: after the last part, or when the caller has left. */
  readonly onEnd?: (hasLeft: boolean) => void;
}

/** Passes the parts of a response to the caller. */
export const mapParts = (
  parts: AsyncIterable<Part>,
  { onPart = (part) => part, firstExtensions, lastExtensions, onEnd }: PartsHandler,
): AsyncIterableIterator<Part> => {
  const iterator = parts[Symbol.asyncIterator]();
  const ready: Part[] = [];
  let isFirst = true;
  let hasEnded = false;
  const end = (hasLeft = false): IteratorResult<Part, undefined> => {
    if (!hasEnded) onEnd?.(hasLeft);
    hasEnded = true;
    return { done: true, value: undefined };
  };
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: async () => {
      if (hasEnded) return end();
      const waiting = ready.shift();
      if (waiting) return { done: false, value: waiting };
      const { done, value } = await iterator.next();
      if (done) return end();
      const part = onPart(value);
      const { hasNext } = part;
      const told = isFirst ? firstExtensions?.() : undefined;
      isFirst = false;
      if (told && hasNext) {
        return { done: false, value: { ...part, extensions: { ...part.extensions, ...told } } };
      }
      const extensions = hasNext === false ? lastExtensions?.() : undefined;
      const [first = part, ...others] = extensions ? withExtensions(part, extensions) : [part];
      ready.push(...others);
      return { done: false, value: first };
    },
    // Not a generator's `return`, which would wait for the part under way.
    return: async () => {
      const ended = end(true);
      await iterator.return?.();
      return ended;
    },
  };
};

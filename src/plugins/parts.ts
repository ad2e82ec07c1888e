import type { ExecutionResult, GraphQLError } from 'graphql';

type Extensions = ExecutionResult['extensions'];

/** A part of a response: the first, or what `@defer` has left for later. */
export interface Part extends ExecutionResult {
  readonly incremental?: readonly ExecutionResult[];
  /** Whether more parts come. */
  readonly hasNext?: boolean;
}

/** The errors of a part, wherever they stand in it. */
export const errorsOf = ({ errors = [], incremental = [] }: Part): readonly GraphQLError[] => [
  ...errors,
  ...incremental.flatMap((each) => each.errors ?? []),
];

const withErrors = <Result extends ExecutionResult>(
  result: Result,
  change: (errors: readonly GraphQLError[]) => readonly GraphQLError[],
): Result => (result.errors ? { ...result, errors: change(result.errors) } : result);

/** A part with other errors in place of its own. */
export const changeErrors = (
  part: Part,
  change: (errors: readonly GraphQLError[]) => readonly GraphQLError[],
): Part => {
  const changed = withErrors(part, change);
  const { incremental } = changed;
  return incremental
    ? { ...changed, incremental: incremental.map((each) => withErrors(each, change)) }
    : changed;
};

/**
 * The last part with extensions. Where it has data, they come in a part of their own after it: Apollo Client reads none of a
 * part that has `incremental`.
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
  /** Makes what the first part tells; undefined where there is nothing to tell yet. */
  readonly firstExtensions?: () => Extensions;
  /** Makes what is told at the end; undefined where there is nothing to tell. */
  readonly lastExtensions?: () => Extensions;
  /** Called once: after the last part, or when the caller has gone before. */
  readonly onEnd?: (hasLeft: boolean) => void;
}

/** Handles the parts of a response on their way to the caller. */
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
    // Not a generator's: that would wait for the part that is under way.
    return: async () => {
      const ended = end(true);
      await iterator.return?.();
      return ended;
    },
  };
};

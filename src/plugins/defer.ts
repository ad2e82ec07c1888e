import {
  defaultFieldResolver,
  type ExecutionArgs,
  type FieldNode,
  GraphQLError,
  getOperationAST,
  getVariableValues,
} from 'graphql';
import { deferredFields } from '../documents/deferred.ts';
import { type Context, withParts } from '../gateway/context.ts';

/** What `accept` calls the form in which parts are sent, where it names one: Apollo Client does. */
const ownForm = 'deferspec=20220824';

const isOtherForm = (parameter: string): boolean =>
  /^(?:deferspec|incrementalspec)=/.test(parameter) && parameter.replaceAll('"', '') !== ownForm;

/**
 * Whether a caller takes a response in parts, in the form in which they are sent. Only who names the media type does: callers
 * who think of no parts accept anything.
 */
export const takesParts = (accept: string | null): boolean => {
  const ranges = (accept ?? '')
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim()));
  const multipart = ranges.filter(([type]) => type === 'multipart/mixed');
  // Whatever else it takes: multipart is what Yoga would send.
  if (multipart.some((range) => range.some(isOtherForm))) return false;
  return multipart.length > 0 || ranges.some(([type]) => type === 'text/event-stream');
};

/** Failures that tell enough of a response that is full. */
const enoughErrors = 1000;

/** Characters of a number, or of what stands around the items of a list. */
const smallSize = 8;

/** Counts the characters of a response, roughly. What goes beyond is null, with an error. */
class ResponseSize {
  readonly #most: number;
  #characters = 0;
  #errors = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** The value, counted. Throws where the response is full, and gives null once that has been told often enough. */
  counted(key: string, value: unknown): unknown {
    if (value === null || value === undefined || value instanceof Error) return value;
    this.#characters += key.length + smallSize;
    if (typeof value === 'string') this.#characters += value.length;
    if (Array.isArray(value)) this.#characters += value.length * smallSize;
    if (this.#characters <= this.#most) return value;
    this.#errors += 1;
    if (this.#errors > enoughErrors) return null;
    throw new GraphQLError(`The response may have at most ${this.#most} characters.`, {
      extensions: { code: 'LIMIT_EXCEEDED', limit: 'responseSize', allowed: this.#most },
    });
  }
}

const keyOf = ([node]: readonly FieldNode[]): string => (node?.alias ?? node?.name)?.value ?? '';

/**
 * The arguments to execute an operation with in parts; undefined where nothing of it is deferred, or it is not to be
 * executed at all.
 *
 * @param maxSize characters that the response may have, roughly
 */
export const prepareParts = (args: ExecutionArgs, maxSize: number): ExecutionArgs | undefined => {
  const { schema, document, operationName, variableValues, contextValue } = args;
  const operation = getOperationAST(document, operationName);
  if (!operation) return undefined;
  const { coerced } = getVariableValues(
    schema,
    operation.variableDefinitions ?? [],
    variableValues ?? {},
    { maxErrors: 1 },
  );
  if (!coerced) return undefined;
  const deferred = deferredFields(document, operation, coerced);
  if (deferred.size === 0) return undefined;
  const size = new ResponseSize(maxSize);
  const count = (nodes: readonly FieldNode[], value: unknown): unknown =>
    size.counted(keyOf(nodes), value);
  const isDeferred = (nodes: readonly FieldNode[]): boolean =>
    nodes.every((node) => deferred.has(node));
  return {
    ...args,
    contextValue: withParts(contextValue as Context, { isDeferred, count }),
    fieldResolver: (parent, given, context, info) =>
      count(info.fieldNodes, defaultFieldResolver(parent, given, context, info)),
  };
};

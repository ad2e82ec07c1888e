import {
  defaultFieldResolver,
  type ExecutionArgs,
  type FieldNode,
  getOperationAST,
  getVariableValues,
} from 'graphql';
import { findDeferred } from '../documents/deferred.ts';
import { isContext, type PartsOptions, withParts } from '../gateway/context.ts';
import { ResponseSize } from './response-size.ts';

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
  const { fields, fragmentsOf } = findDeferred(document, operation, coerced);
  if (fields.size === 0) return undefined;
  const size = new ResponseSize(maxSize);
  const count = (nodes: readonly FieldNode[], value: unknown): unknown => {
    const parts = nodes.reduce((sum, node) => sum + fragmentsOf(node), 0);
    return size.counted(keyOf(nodes), value, parts);
  };
  const options: PartsOptions = {
    isDeferred: (nodes) => nodes.every((node) => fields.has(node)),
    resolve: (nodes, resolve) => {
      if (!size.hasRoom()) return null;
      const value = resolve();
      if (!(value instanceof Promise)) return count(nodes, value);
      size.countAwaited();
      return value.then((arrived: unknown) => count(nodes, arrived));
    },
  };
  return {
    ...args,
    contextValue: isContext(contextValue) ? withParts(contextValue, options) : contextValue,
    fieldResolver: (parent, given, context, info) =>
      count(info.fieldNodes, defaultFieldResolver(parent, given, context, info)),
  };
};

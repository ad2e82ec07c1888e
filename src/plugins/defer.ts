import { type ExecutionArgs, getOperationAST, getVariableValues } from 'graphql';
import { findDeferred } from '../documents/deferred.ts';
import { countedArgs } from './counted.ts';
import { isRefusedRange, mediaTypeOf } from './request-head.ts';

/** What `accept` calls the form in which parts are sent, where it names one: Apollo Client does. */
const ownForm = 'deferspec=20220824';

const isOtherForm = (range: string): boolean =>
  range
    .split(';')
    .map((parameter) => parameter.trim())
    .filter((parameter) => /^(?:deferspec|incrementalspec)=/.test(parameter))
    .some((parameter) => parameter.replaceAll('"', '') !== ownForm);

/**
 * Whether a caller takes a response in parts, in the form in which they are sent. Only who names the media type does: callers
 * who think of no parts accept anything.
 */
export const takesParts = (accept: string | null): boolean => {
  const ranges = (accept ?? '').toLowerCase().split(',');
  const multipart = ranges.filter((range) => mediaTypeOf(range) === 'multipart/mixed');
  // Whatever else it takes: multipart is what Yoga would send.
  if (multipart.some((range) => isRefusedRange(range) || isOtherForm(range))) return false;
  const isStream = (range: string): boolean =>
    mediaTypeOf(range) === 'text/event-stream' && !isRefusedRange(range);
  return multipart.length > 0 || ranges.some(isStream);
};

/**
 * The arguments to execute an operation with in parts; undefined where nothing of it is deferred, or it is not to be
 * executed at all.
 *
 * @param maxSize characters that the response may have, roughly
 */
export const prepareParts = (args: ExecutionArgs, maxSize: number): ExecutionArgs | undefined => {
  const { schema, document, operationName, variableValues } = args;
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
  return countedArgs(args, maxSize, {
    isDeferred: (nodes) => nodes.every((node) => fields.has(node)),
    partsOf: (nodes) => nodes.reduce((sum, node) => sum + fragmentsOf(node), 0),
  });
};

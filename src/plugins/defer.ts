import { type ExecutionArgs, getOperationAST, getVariableValues } from 'graphql';
import { findDeferred } from '../documents/deferred.ts';
import { countedArgs } from './counted.ts';

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

import { type ExecutionArgs, getOperationAST, getVariableValues } from 'graphql';
import { findDeferred } from '../documents/deferred.ts';
import { ResponseSize } from '../execution/response-size.ts';
import { countedArgs } from './counted.ts';

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
  return countedArgs(args, new ResponseSize(maxSize), {
    isDeferred: (nodes) => nodes.every((node) => fields.has(node)),
    partsOf: (nodes) => nodes.reduce((sum, node) => sum + fragmentsOf(node), 0),
  });
};

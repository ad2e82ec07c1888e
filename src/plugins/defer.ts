import { type ExecutionArgs, getOperationAST } from 'graphql';
import { findDeferred } from '../documents/deferred.ts';
import { ResponseSize } from '../graphql/response-size.ts';
import { coerceVariables } from '../graphql/variables.ts';
import type { PartsForm } from '../negotiation.ts';
import { countedArgs } from './counted.ts';

/**
 * The arguments to execute an operation in parts; undefined if nothing is deferred, or if it cannot be executed.
 *
 * @param maxSize the most characters of the response, roughly
 */
export const prepareParts = (
  args: ExecutionArgs,
  form: PartsForm,
  maxSize: number,
): ExecutionArgs | undefined => {
  const { schema, document, operationName, variableValues } = args;
  const operation = getOperationAST(document, operationName);
  if (!operation) return undefined;
  const { coerced } = coerceVariables(schema, operation.variableDefinitions, variableValues ?? {}, {
    maxErrors: 1,
  });
  if (!coerced) return undefined;
  const { fields, fragmentsOf } = findDeferred(document, operation, coerced);
  if (fields.size === 0) return undefined;
  return countedArgs(args, new ResponseSize(maxSize), {
    form,
    isDeferred: (nodes) => nodes.every((node) => fields.has(node)),
    partsOf: (nodes) => nodes.reduce((sum, node) => sum + fragmentsOf(node), 0),
  });
};

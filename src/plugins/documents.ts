import type { DocumentNode, ExecutionArgs, ExecutionResult, GraphQLSchema } from 'graphql';
import { checkVariableSizes } from '../documents/argument-sizes.ts';
import type { Documents } from '../documents/documents.ts';
import { checkVariableLimits, type Limits } from '../documents/limits.ts';
import { checkNullVariables } from '../documents/null-variables.ts';
import type { GatewayPlugin } from './plugin.ts';

/**
 * Refuses an operation because of its variables, before it is executed: for texts and lists that are too large, for
 * lists that make the operation too large, and for null where null is not allowed. All other limits depend only on the
 * document.
 */
export const useVariableChecks = (schema: GraphQLSchema, limits: Limits): GatewayPlugin => {
  const check = ({
    args,
    setResultAndStopExecution: stop,
  }: {
    readonly args: ExecutionArgs;
    readonly setResultAndStopExecution: (result: ExecutionResult) => void;
  }): void => {
    const error =
      checkVariableLimits(schema, args, limits) ??
      checkVariableSizes(schema, args) ??
      checkNullVariables(schema, args);
    if (error) stop({ errors: [error] });
  };
  return { onExecute: check, onSubscribe: check };
};

/** Parses, validates and limits documents. The gateway's cache keeps no document that may hold a secret. */
export const useDocuments = (documents: Documents): GatewayPlugin => ({
  onParse: ({ setParseFn }) => setParseFn((source: string) => documents.parse(source)),
  onValidate: ({ setValidationFn }) =>
    setValidationFn((_: unknown, document: DocumentNode) => documents.validate(document)),
});

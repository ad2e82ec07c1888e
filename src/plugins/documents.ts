import type { DocumentNode, GraphQLSchema } from 'graphql';
import type { Documents } from '../documents/documents.ts';
import { checkVariableLimits, type Limits } from '../documents/limits.ts';
import type { GatewayPlugin } from './plugin.ts';

/** Refuses an operation that only the lists in its variables make too large. All other limits are the document's. */
export const useVariableLimits = (schema: GraphQLSchema, limits: Limits): GatewayPlugin => ({
  onExecute: ({ args, setResultAndStopExecution }) => {
    const error = checkVariableLimits(schema, args, limits);
    if (error) setResultAndStopExecution({ errors: [error] });
  },
});

/** Parses, validates and limits documents by the gateway's cache of them, which keeps none that may hold a secret. */
export const useDocuments = (documents: Documents): GatewayPlugin => ({
  onParse: ({ setParseFn }) => setParseFn((source: string) => documents.parse(source)),
  onValidate: ({ setValidationFn }) =>
    setValidationFn((_: unknown, document: DocumentNode) => documents.validate(document)),
});

import { normalizedExecutor } from '@graphql-tools/executor';
import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import { isAsyncIterable } from 'graphql-yoga';

/** What an execution depends on beside the schema. */
export interface Execution {
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
  readonly variableValues?: Readonly<Record<string, unknown>> | null | undefined;
  readonly contextValue?: unknown;
}

/** Executes a validated document. */
export type Execute = (execution: Execution) => Promise<ExecutionResult>;

/** The one executor, whichever way a request came in. */
export const createExecutor =
  (schema: GraphQLSchema): Execute =>
  async ({ document, operationName, variableValues, contextValue }) => {
    const result = await normalizedExecutor({
      schema,
      document,
      operationName: operationName ?? undefined,
      variableValues: variableValues ?? undefined,
      contextValue,
    });
    if (isAsyncIterable(result)) throw new TypeError('The schema has nothing that streams');
    return result;
  };

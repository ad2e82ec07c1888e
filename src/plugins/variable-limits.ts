import type { GraphQLSchema } from 'graphql';
import { checkVariableLimits, type Limits } from '../documents/limits.ts';
import type { GatewayPlugin } from './plugin.ts';

/** Refuses an operation that only the lists in its variables make too large. All other limits are the document's. */
export const useVariableLimits = (schema: GraphQLSchema, limits: Limits): GatewayPlugin => ({
  onExecute: ({ args, setResultAndStopExecution }) => {
    const error = checkVariableLimits(schema, args, limits);
    if (error) setResultAndStopExecution({ errors: [error] });
  },
});

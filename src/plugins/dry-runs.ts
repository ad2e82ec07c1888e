import type { GraphQLSchema } from 'graphql';
import { getOperationAST, OperationTypeNode } from 'graphql';
import { isDryRun, mutationsOff } from '../documents/mutation-rule.ts';
import type { Callers } from './caller.ts';
import type { GatewayPlugin } from './plugin.ts';

/**
 * Notes which mutations are dry runs: the log and the metrics count them as reads. Refuses all others if mutations are
 * switched off; a mutation that cannot be a dry run was refused by validation.
 */
export const useDryRuns = (
  callers: Callers,
  schema: GraphQLSchema,
  mutations: boolean,
): GatewayPlugin => ({
  onExecute: ({ args, setResultAndStopExecution: stop }) => {
    const operation = getOperationAST(args.document, args.operationName);
    if (operation?.operation !== OperationTypeNode.MUTATION) return;
    const incoming = callers.get(args.contextValue.req);
    if (incoming && isDryRun(schema, args)) incoming.isDryRun = true;
    else if (!mutations) stop({ errors: [mutationsOff(operation)] });
  },
});

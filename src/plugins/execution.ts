import type { ExecutionArgs } from 'graphql';
import { createExecutor, type Execute, type ExecutorOptions } from '../executor.ts';
import type { GatewayPlugin } from './plugin.ts';

/** Executes with the gateway's executor. */
export const useExecution = (options: ExecutorOptions = {}): GatewayPlugin => {
  let execute: Execute | undefined;
  return {
    onSchemaChange: ({ schema }) => {
      execute = createExecutor(schema, options);
    },
    onExecute: ({ setExecuteFn }) => {
      if (!execute) return;
      const run = execute;
      setExecuteFn(({ document, operationName, variableValues, contextValue }: ExecutionArgs) =>
        run({ document, operationName, variableValues, contextValue }),
      );
    },
  };
};

import type { DocumentNode, ExecutionArgs } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { mayComeInParts } from '../documents/deferred.ts';
import { mayHoldSecrets } from '../documents/literals.ts';
import { mentionsSchema } from '../documents/measure.ts';
import { createExecutor, type Execute } from '../execution/executor.ts';
import { acceptedOf } from '../request/negotiation.ts';
import { prepareParts } from './defer.ts';

interface ExecutionOptions {
  /** Whether errors keep to themselves what else the schema has. */
  readonly hideSuggestions?: boolean;
  /** See `ExecutorOptions.maxSize`. */
  readonly maxSize?: number;
}

/**
 * Executes queries and mutations with the gateway's executor. Yoga's own executes subscriptions, and operations with
 * `@defer` for callers who take parts; for others they are executed as if it were not there, and so are operations that ask
 * for the schema: only the gateway's executor bounds what they are told. What wraps the execution has to come after this
 * plugin.
 */
export const useExecution = ({
  hideSuggestions = false,
  maxSize = Infinity,
}: ExecutionOptions = {}): Plugin => {
  const deferring = new WeakMap<DocumentNode, boolean>();
  let execute: Execute | undefined;
  return {
    onSchemaChange: ({ schema }) => {
      const mayKeep = (document: DocumentNode): boolean => !mayHoldSecrets(document);
      execute = createExecutor(schema, { hideSuggestions, mayKeep, maxSize });
    },
    onExecute: ({ args: { document, contextValue }, executeFn, setExecuteFn }) => {
      if (!execute) return;
      setExecuteFn(execute);
      const isDeferring =
        deferring.get(document) ?? (mayComeInParts(document) && !mentionsSchema(document));
      deferring.set(document, isDeferring);
      if (!isDeferring || !acceptedOf(contextValue.request).parts) return;
      const executeWhole = execute;
      setExecuteFn((args: ExecutionArgs) => {
        const inParts = prepareParts(args, maxSize);
        return inParts ? executeFn(inParts) : executeWhole(args);
      });
    },
  };
};

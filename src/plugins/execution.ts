import type { DocumentNode, ExecutionArgs } from 'graphql';
import { mayComeInParts } from '../documents/deferred.ts';
import { mayHoldSecrets } from '../documents/literals.ts';
import { mentionsSchema } from '../documents/measure.ts';
import { createExecutor, type Execute } from '../execution/executor.ts';
import { acceptedOf } from '../negotiation.ts';
import { prepareParts } from './defer.ts';
import type { GatewayPlugin, ServerContext } from './plugin.ts';

interface ExecutionOptions {
  /** Whether errors suggest no other names of the schema. */
  readonly hideSuggestions?: boolean;
  /** See `ExecutorOptions.maxSize`. */
  readonly maxSize?: number;
  /** Whether one more response may come in parts; if absent, each may. */
  readonly mayDefer?: (context: ServerContext) => boolean;
}

/**
 * Executes queries and mutations with the gateway's executor. Yoga's executor handles subscriptions, and operations with
 * `@defer` for callers that accept parts. `@defer` is ignored for other callers, while too many responses in parts are under
 * way, and for operations that query the schema, since only the gateway's executor limits the characters of the schema.
 * Plugins that wrap the execution must come after this plugin.
 */
export const useExecution = ({
  hideSuggestions = false,
  maxSize = Infinity,
  mayDefer = () => true,
}: ExecutionOptions = {}): GatewayPlugin => {
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
        return inParts && mayDefer(contextValue) ? executeFn(inParts) : executeWhole(args);
      });
    },
  };
};

import type { DocumentNode, ExecutionArgs } from 'graphql';
import { mayComeInParts } from '../documents/deferred.ts';
import { mayHoldSecrets } from '../documents/literals.ts';
import { mentionsSchema } from '../documents/measure.ts';
import { createExecutor, type Execute } from '../execution/executor.ts';
import { acceptedOf } from '../negotiation.ts';
import { prepareParts } from './defer.ts';
import type { GatewayPlugin, ServerContext } from './plugin.ts';

interface ExecutionOptions {
  /** Whether errors keep to themselves what else the schema has. */
  readonly hideSuggestions?: boolean;
  /** See `ExecutorOptions.maxSize`. */
  readonly maxSize?: number;
  /** Whether one more response may come in parts; each may if absent. */
  readonly mayDefer?: (context: ServerContext) => boolean;
}

/**
 * Executes queries and mutations with the gateway's executor. Yoga's own executes subscriptions, and operations with
 * `@defer` for callers who take parts; for others, and where too many are under way, they are executed as if it were not there, and so are operations that ask
 * for the schema: only the gateway's executor bounds what they are told. What wraps the execution has to come after this
 * plugin.
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

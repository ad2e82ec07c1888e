import { normalizedExecutor } from '@graphql-tools/executor';
import type { DocumentNode, ExecutionArgs } from 'graphql';
import { mayComeInParts } from '../documents/deferred.ts';
import { mayHoldSecrets } from '../documents/literals.ts';
import { mentionsSchema } from '../documents/measure.ts';
import { createExecutor, type Execute } from '../execution/executor.ts';
import { acceptedOf } from '../negotiation.ts';
import { isContext } from '../request/context.ts';
import { prepareParts } from './defer.ts';
import type { GatewayPlugin, ServerContext } from './plugin.ts';

interface ExecutionOptions {
  /** Whether errors suggest no other names of the schema. */
  readonly hideSuggestions?: boolean;
  /** See `ExecutorOptions.maxSize`. */
  readonly maxSize?: number;
  /** Whether one more response may come in parts; if absent, every response may. */
  readonly mayDefer?: (context: ServerContext) => boolean;
}

const turnsOf = (context: unknown) => (isContext(context) ? context.turns : undefined);

/** The gateway's executor, for all plugins that execute operations. */
interface Execution {
  readonly execute: Execute;
  /**
   * Executes queries and mutations. Yoga's executor handles operations with `@defer` for callers that accept parts in
   * the form of 2022, and a newer version of it, which takes more time, in the form `v0.2`. `@defer` is ignored for
   * other callers, while too many responses in parts are under way, and for operations that query the schema, since only
   * the gateway's executor limits the characters of the schema. Plugins that wrap the execution must come after this
   * plugin.
   */
  useExecution(): GatewayPlugin;
}

export const createExecution = ({
  hideSuggestions = false,
  maxSize = Infinity,
  mayDefer = () => true,
}: ExecutionOptions = {}): Execution => {
  const deferring = new WeakMap<DocumentNode, boolean>();
  let executor: Execute | undefined;
  const execute: Execute = (args) => {
    if (!executor) throw new TypeError('Nothing is executed before there is a schema');
    return executor(args);
  };
  const useExecution = (): GatewayPlugin => ({
    onSchemaChange: ({ schema }) => {
      const mayKeep = (document: DocumentNode): boolean => !mayHoldSecrets(document);
      executor = createExecutor(schema, { hideSuggestions, mayKeep, turnsOf, maxSize });
    },
    onExecute: ({ args: { document, contextValue }, executeFn, setExecuteFn }) => {
      setExecuteFn(execute);
      const isDeferring =
        deferring.get(document) ?? (mayComeInParts(document) && !mentionsSchema(document));
      deferring.set(document, isDeferring);
      const form = acceptedOf(contextValue.request).parts;
      if (!isDeferring || !form) return;
      setExecuteFn((args: ExecutionArgs) => {
        const inParts = prepareParts(args, form, maxSize);
        if (!inParts || !mayDefer(contextValue)) return execute(args);
        if (form === 'v0.1') return executeFn(inParts);
        return normalizedExecutor({ ...inParts, incrementalSpec: form });
      });
    },
  });
  return { execute, useExecution };
};

import { type DocumentNode, visit } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { mayHoldSecrets } from '../documents/literals.ts';
import { createExecutor, type Execute } from '../execution/executor.ts';

/** Whether the response may come in parts, by `@defer` or `@stream`. */
const isIncremental = (document: DocumentNode): boolean => {
  let found = false;
  visit(document, {
    Directive: ({ name }) => {
      found ||= name.value === 'defer' || name.value === 'stream';
    },
  });
  return found;
};

interface ExecutionOptions {
  /** Whether errors keep to themselves what else the schema has. */
  readonly hideSuggestions?: boolean;
  /** See `ExecutorOptions.maxSize`. */
  readonly maxSize?: number;
}

/**
 * Executes queries and mutations with the gateway's executor. Yoga's own executes what the gateway's does
 * not know: subscriptions, and documents with `@defer` or `@stream`. What wraps the execution has to come
 * after this plugin.
 */
export const useExecution = ({
  hideSuggestions = false,
  maxSize = Infinity,
}: ExecutionOptions = {}): Plugin => {
  const incremental = new WeakMap<DocumentNode, boolean>();
  let execute: Execute | undefined;
  return {
    onSchemaChange: ({ schema }) => {
      const mayKeep = (document: DocumentNode): boolean => !mayHoldSecrets(document);
      execute = createExecutor(schema, { hideSuggestions, mayKeep, maxSize });
    },
    onExecute: ({ args: { document }, setExecuteFn }) => {
      const isLeft = incremental.get(document) ?? isIncremental(document);
      incremental.set(document, isLeft);
      if (execute && !isLeft) setExecuteFn(execute);
    },
  };
};

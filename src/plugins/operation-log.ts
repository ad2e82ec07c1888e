import { type DocumentNode, getOperationAST, type OperationDefinitionNode } from 'graphql';
import { isAsyncIterable } from 'graphql-yoga';
import { hashOf, textWithoutSecrets } from '../documents/literals.ts';
import type { Log } from '../log.ts';
import type { Callers } from './caller.ts';
import type { GatewayPlugin, ServerContext } from './plugin.ts';

/** What the log tells of an operation. */
interface OperationFacts {
  readonly operationName: string | undefined;
  readonly operationType: string;
  readonly operationHash: string;
}

const describe = (
  { name, operation }: OperationDefinitionNode,
  document: DocumentNode,
): OperationFacts => ({
  // Anybody may send one, of any length.
  operationName: name?.value.slice(0, 128),
  operationType: operation,
  operationHash: hashOf(textWithoutSecrets(document)),
});

// Hashing a document costs as much as executing a small one.
const described = new WeakMap<OperationDefinitionNode, OperationFacts>();

/** What the log tells of the operation of that name; nothing where there is none. */
export const operationFactsOf = (
  document: DocumentNode,
  operationName: string | null | undefined,
): OperationFacts | undefined => {
  const operation = getOperationAST(document, operationName);
  if (!operation) return undefined;
  const facts = described.get(operation) ?? describe(operation, document);
  described.set(operation, facts);
  return facts;
};

/** Writes a line for each operation: these members, and nothing else of the request. */
export const useOperationLog = (callers: Callers, log: Log): GatewayPlugin => {
  const executed = new WeakMap<ServerContext['req'], OperationFacts>();
  return {
    onExecute: ({ args: { document, operationName, contextValue } }) => {
      const facts = operationFactsOf(document, operationName);
      if (facts) executed.set(contextValue.req, facts);
    },
    onResultProcess: ({ serverContext: { req }, result }) => {
      const incoming = callers.get(req);
      if (!incoming || Array.isArray(result) || isAsyncIterable(result)) return;
      const { caller, began } = incoming;
      log.info(
        {
          requestId: caller.requestId,
          ...executed.get(req),
          milliseconds: Math.round((performance.now() - began) * 10) / 10,
          upstreamCalls: caller.budget.taken,
          codes: [...new Set(result.errors?.map(({ extensions }) => extensions?.code))],
        },
        'operation',
      );
    },
  };
};

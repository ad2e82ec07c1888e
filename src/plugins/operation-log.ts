import { type DocumentNode, getOperationAST, type OperationDefinitionNode } from 'graphql';
import { isAsyncIterable } from 'graphql-yoga';
import { hashOf, textWithoutSecrets } from '../documents/literals.ts';
import type { Log } from '../log.ts';
import { callFactsOf } from '../request/call-facts.ts';
import type { Upstreams } from '../upstream/index.ts';
import type { Callers } from './caller.ts';
import { errorsOf, mapParts, type Part } from './parts.ts';
import type { GatewayPlugin, ServerContext } from './plugin.ts';

/** What the log says about an operation. */
interface OperationFacts {
  readonly operationName: string | undefined;
  readonly operationType: string;
  readonly operationHash: string;
}

const describe = (
  { name, operation }: OperationDefinitionNode,
  document: DocumentNode,
): OperationFacts => ({
  // Callers may send a name of any length.
  operationName: name?.value.slice(0, 128),
  operationType: operation,
  operationHash: hashOf(textWithoutSecrets(document)),
});

// Hashing a document costs as much as executing a small one.
const described = new WeakMap<OperationDefinitionNode, OperationFacts>();

/** What the log says about the operation with this name; undefined if there is none. */
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

const ofAgent = { way: 'mcp' };

/**
 * Writes a log line for each operation, with these members and no other data of the request. For a response in parts, the
 * line is written when the last part has been sent or the caller has gone.
 */
export const useOperationLog = (
  callers: Callers,
  upstreams: Pick<Upstreams, 'callsLeft'>,
  log: Log,
  isOfAgent: (req: ServerContext['req']) => boolean = () => false,
): GatewayPlugin => {
  const executed = new WeakMap<ServerContext['req'], OperationFacts>();
  return {
    onExecute: ({ args: { document, operationName, contextValue } }) => {
      const facts = operationFactsOf(document, operationName);
      if (facts) executed.set(contextValue.req, facts);
    },
    onResultProcess: ({ serverContext: { req }, result, setResult }) => {
      const incoming = callers.get(req);
      if (!incoming || incoming.isStream || Array.isArray(result)) return;
      const { caller, began } = incoming;
      const codes = new Set<unknown>();
      const note = (part: Part): void => {
        for (const { extensions } of errorsOf(part)) codes.add(extensions?.code);
      };
      const write = (): void =>
        log.info(
          {
            requestId: caller.requestId,
            ...(isOfAgent(req) && ofAgent),
            ...executed.get(req),
            milliseconds: Math.round((performance.now() - began) * 10) / 10,
            ...callFactsOf(caller),
            callsLeft: upstreams.callsLeft(caller),
            codes: [...codes],
          },
          'operation',
        );
      if (isAsyncIterable(result)) {
        const onPart = (part: Part): Part => {
          note(part);
          return part;
        };
        const onEnd = (hasLeft: boolean): void => {
          // Calls that were not sent because the caller has gone are removed from the count in this turn of the event loop.
          if (hasLeft) setImmediate(write);
          else write();
        };
        setResult(mapParts(result, { onPart, onEnd }));
      } else {
        note(result);
        write();
      }
    },
  };
};

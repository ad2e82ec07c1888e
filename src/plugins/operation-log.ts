import { type DocumentNode, getOperationAST, type OperationDefinitionNode } from 'graphql';
import { isAsyncIterable } from 'graphql-yoga';
import { hashOf, textWithoutSecrets } from '../documents/literals.ts';
import { callFactsOf } from '../request/call-facts.ts';
import type { Upstreams } from '../upstream/index.ts';
import type { CallerRequest, Callers } from './caller.ts';
import { errorsOf, mapParts, type Part } from './parts.ts';
import type { GatewayPlugin, ServerContext } from './plugin.ts';
import type { WriteLine } from './request-lines.ts';

/** The status in the log if the caller left before the response: the same as in nginx. */
const callerLeft = 499;

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

/**
 * Writes a log line for each request that has an id. For a response in parts, the line is written when the last part
 * has been sent or the caller has left; for an event stream, `useLive` writes it at the end.
 *
 * @param toolFactsOf what to say of the request of a REST tool; undefined for other requests
 */
export const useOperationLog = (
  callers: Callers,
  upstreams: Pick<Upstreams, 'callsLeft'>,
  write: WriteLine,
  toolFactsOf: (req: ServerContext['req']) => Readonly<Record<string, unknown>> | undefined,
): GatewayPlugin => {
  const executed = new WeakMap<ServerContext['req'], OperationFacts>();
  /** The codes of the results so far. */
  const results = new WeakMap<ServerContext['req'], Set<unknown>>();
  /** Requests whose responses come in parts. */
  const inParts = new WeakSet<ServerContext['req']>();

  const writeOperation = (
    req: ServerContext['req'],
    incoming: CallerRequest,
    status: number,
    codes: ReadonlySet<unknown>,
  ): void =>
    write('operation', req, incoming, {
      ...executed.get(req),
      ...(incoming.isDryRun && { dryRun: true }),
      status,
      ...callFactsOf(incoming.caller),
      callsLeft: upstreams.callsLeft(incoming.caller),
      codes: [...codes],
    });

  return {
    onExecute: ({ args: { document, operationName, contextValue } }) => {
      const facts = operationFactsOf(document, operationName);
      if (facts) executed.set(contextValue.req, facts);
    },
    onResultProcess: ({ serverContext: { req, res }, result, setResult }) => {
      const incoming = callers.get(req);
      if (!incoming || incoming.isStream || Array.isArray(result)) return;
      const codes = new Set<unknown>();
      results.set(req, codes);
      const note = (part: Part): Part => {
        for (const { extensions } of errorsOf(part)) codes.add(extensions?.code);
        return part;
      };
      if (!isAsyncIterable(result)) {
        note(result);
        return;
      }
      inParts.add(req);
      const end = (): void => writeOperation(req, incoming, res.statusCode, codes);
      const onEnd = (hasLeft: boolean): void => {
        // Calls that were not sent because the caller has left are taken off the count in this turn of the event loop.
        if (hasLeft) setImmediate(end);
        else end();
      };
      setResult(mapParts(result, { onPart: note, onEnd }));
    },
    onResponse: ({ serverContext: { req, res }, response }) => {
      const incoming = callers.get(req);
      if (!incoming || incoming.isStream || inParts.has(req)) return;
      const status = res.destroyed ? callerLeft : response.status;
      const codes = results.get(req);
      if (codes) writeOperation(req, incoming, status, codes);
      else {
        const facts = toolFactsOf(req);
        const calls = facts && callFactsOf(incoming.caller);
        write('request', req, incoming, { ...facts, status, ...calls });
      }
    },
  };
};

import { getOperationAST } from 'graphql';
import { isAsyncIterable } from 'graphql-yoga';
import type { OperationFigures, OperationType } from '../metrics/operations.ts';
import type { Callers } from './caller.ts';
import { errorsOf, mapParts, type Part } from './parts.ts';
import type { GatewayPlugin, ServerContext } from './plugin.ts';

/**
 * Counts each operation when it has been answered; a dry run as a query. A response in parts counts when its last part
 * has been sent or the caller has left, with the time until the first part. An event stream counts when it is opened.
 */
export const useMetrics = (callers: Callers, { answered }: OperationFigures): GatewayPlugin => {
  const types = new WeakMap<ServerContext['req'], OperationType>();
  return {
    // Some operations are refused before any later hook.
    onParse:
      ({ context: { req, params } }) =>
      ({ result }) => {
        if (!result || !('kind' in result)) return;
        const operation = getOperationAST(result, params.operationName);
        if (operation) types.set(req, operation.operation);
      },
    onResultProcess: ({ serverContext: { req, res }, result, setResult }) => {
      const incoming = callers.get(req);
      if (!incoming || Array.isArray(result)) return;
      const type = incoming.isDryRun ? 'query' : (types.get(req) ?? 'unknown');
      const codes = new Set<unknown>();
      if (incoming.isStream) {
        answered({ type, codes, hasData: true });
        return;
      }
      let hasData = false;
      const milliseconds = performance.now() - incoming.began;
      const see = (part: Part): void => {
        for (const { extensions } of errorsOf(part)) codes.add(extensions?.code);
        hasData ||= part.data !== null && part.data !== undefined;
      };
      const count = (): void =>
        answered({ type, codes, hasData, milliseconds, hasLeft: res.destroyed });
      if (isAsyncIterable(result)) {
        const onPart = (part: Part): Part => {
          see(part);
          return part;
        };
        setResult(mapParts(result, { onPart, onEnd: count }));
      } else {
        see(result);
        count();
      }
    },
  };
};

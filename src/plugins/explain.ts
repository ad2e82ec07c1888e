import { isAsyncIterable } from 'graphql-yoga';
import type { Callers, GatewayPlugin } from './plugin.ts';

/** Lists the upstream calls of a request that asks for them with `Sluice-Explain: 1`, and may. */
export const useExplain = (callers: Callers): GatewayPlugin => ({
  onResultProcess: ({ serverContext, result, setResult }) => {
    const incoming = callers.get(serverContext.req);
    if (!incoming?.explain || Array.isArray(result) || isAsyncIterable(result)) return;
    const upstream = incoming.caller.calls.list();
    setResult({ ...result, extensions: { ...result.extensions, upstream } });
  },
});

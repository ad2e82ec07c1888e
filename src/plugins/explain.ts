import { isAsyncIterable } from 'graphql-yoga';
import type { Callers } from './caller.ts';
import type { GatewayPlugin } from './plugin.ts';

/** Lists the upstream calls of a request that asks for them with `Sluice-Explain: 1`, and may. */
export const useExplain = (callers: Callers): GatewayPlugin => ({
  onResultProcess: ({ serverContext, result, setResult }) => {
    const calls = callers.get(serverContext.req)?.caller.calls;
    if (!calls || Array.isArray(result) || isAsyncIterable(result)) return;
    const upstream = calls.list();
    setResult({ ...result, extensions: { ...result.extensions, upstream } });
  },
});

import { isAsyncIterable } from 'graphql-yoga';
import type { Upstreams } from '../upstream/index.ts';
import type { Callers } from './caller.ts';
import { mapParts } from './parts.ts';
import type { GatewayPlugin } from './plugin.ts';

/**
 * Lists the upstream calls of a request that asks for them with `Sluice-Explain: 1`, and may, and tells how many more
 * calls each upstream would take now from the caller's credentials.
 */
export const useExplain = (callers: Callers, upstreams: Upstreams): GatewayPlugin => ({
  onResultProcess: ({ serverContext, result, setResult }) => {
    const caller = callers.get(serverContext.req)?.caller;
    const calls = caller?.calls;
    if (!calls || Array.isArray(result)) return;
    const explain = () => ({ upstream: calls.list(), budget: upstreams.callsLeft(caller) });
    if (isAsyncIterable(result)) setResult(mapParts(result, { lastExtensions: explain }));
    else setResult({ ...result, extensions: { ...result.extensions, ...explain() } });
  },
});

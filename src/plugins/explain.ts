import { isAsyncIterable } from 'graphql-yoga';
import type { UpstreamCaller, Upstreams } from '../upstream/index.ts';
import type { Callers } from './caller.ts';
import type { GatewayPlugin } from './plugin.ts';

/** What is told of a caller's calls; nothing where it has not asked. */
export const explained = (caller: UpstreamCaller, upstreams: Pick<Upstreams, 'callsLeft'>) =>
  caller.calls && { upstream: caller.calls.list(), budget: upstreams.callsLeft(caller) };

/**
 * Lists the upstream calls of a request that asks for them with `Sluice-Explain: 1`, and may, and tells how many more
 * calls each upstream would take now from the caller's credentials.
 */
export const useExplain = (callers: Callers, upstreams: Upstreams): GatewayPlugin => ({
  onResultProcess: ({ serverContext, result, setResult }) => {
    const caller = callers.get(serverContext.req)?.caller;
    if (!caller?.calls || Array.isArray(result) || isAsyncIterable(result)) return;
    const extensions = { ...result.extensions, ...explained(caller, upstreams) };
    setResult({ ...result, extensions });
  },
});

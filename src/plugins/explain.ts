import { isAsyncIterable } from 'graphql-yoga';
import type { UpstreamCaller, Upstreams } from '../upstream/index.ts';
import type { Callers } from './caller.ts';
import { mapParts } from './parts.ts';
import type { GatewayPlugin } from './plugin.ts';

/** The report of a caller's upstream calls; undefined if the caller has not asked for it. */
export const explained = (caller: UpstreamCaller, upstreams: Pick<Upstreams, 'callsLeft'>) =>
  caller.calls && { upstream: caller.calls.list(), budget: upstreams.callsLeft(caller) };

/**
 * Lists the upstream calls of a request that has `Sluice-Explain: 1`, if the gateway allows this, and the number of
 * calls that the caller's credentials have left at each upstream.
 */
export const useExplain = (callers: Callers, upstreams: Upstreams): GatewayPlugin => ({
  onResultProcess: ({ serverContext, result, setResult }) => {
    const incoming = callers.get(serverContext.req);
    if (!incoming?.caller.calls || incoming.isStream || Array.isArray(result)) return;
    const explain = () => explained(incoming.caller, upstreams);
    if (isAsyncIterable(result)) setResult(mapParts(result, { lastExtensions: explain }));
    else setResult({ ...result, extensions: { ...result.extensions, ...explain() } });
  },
});

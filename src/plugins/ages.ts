import { isAsyncIterable } from 'graphql-yoga';
import type { Callers } from './caller.ts';
import type { GatewayPlugin } from './plugin.ts';

/**
 * Tells how old a response is whose parts came from memory: the header `Age` has the whole seconds of its oldest part,
 * and `extensions.staleSeconds` those of the oldest part that would have been read anew if a call had been left for it.
 */
export const useAges = (callers: Callers): GatewayPlugin => ({
  onResultProcess: ({ serverContext: { req, res }, result, setResult }) => {
    const ages = callers.get(req)?.caller.ages;
    if (!ages || Array.isArray(result) || isAsyncIterable(result)) return;
    const { oldestSeconds, stalestSeconds: staleSeconds } = ages;
    if (oldestSeconds !== undefined) res.setHeader('age', oldestSeconds);
    if (staleSeconds === undefined) return;
    setResult({ ...result, extensions: { ...result.extensions, staleSeconds } });
  },
});

import { isAsyncIterable } from 'graphql-yoga';
import type { Callers } from './caller.ts';
import { mapParts } from './parts.ts';
import type { GatewayPlugin } from './plugin.ts';

/**
 * Tells how old a response is whose parts came from memory: the header `Age` has the whole seconds of its oldest part,
 * and `extensions.staleSeconds` those of the oldest part that would have been read anew if a call had been left for it. Where
 * it comes in parts no header can tell. The extension comes with the first part, for that part, and last for all of them.
 */
export const useAges = (callers: Callers): GatewayPlugin => ({
  onResultProcess: ({ serverContext: { req, res }, result, setResult }) => {
    const incoming = callers.get(req);
    if (!incoming || incoming.isStream || Array.isArray(result)) return;
    const { ages } = incoming.caller;
    if (isAsyncIterable(result)) {
      const extensions = () =>
        ages.stalestSeconds === undefined ? undefined : { staleSeconds: ages.stalestSeconds };
      setResult(mapParts(result, { firstExtensions: extensions, lastExtensions: extensions }));
      return;
    }
    const { oldestSeconds, stalestSeconds: staleSeconds } = ages;
    if (oldestSeconds !== undefined) res.setHeader('age', oldestSeconds);
    if (staleSeconds === undefined) return;
    setResult({ ...result, extensions: { ...result.extensions, staleSeconds } });
  },
});

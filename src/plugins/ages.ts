import { isAsyncIterable } from 'graphql-yoga';
import type { UpstreamCaller } from '../upstream/index.ts';
import type { Callers } from './caller.ts';
import { mapParts } from './parts.ts';
import type { GatewayPlugin } from './plugin.ts';

/** What a response tells of the reads that it was made of; undefined where there is nothing to tell. */
export const agesAndProgress = ({ ages, progress }: UpstreamCaller) => {
  const { stalestSeconds: staleSeconds } = ages;
  const { now } = progress;
  if (staleSeconds === undefined && !now) return undefined;
  return { ...(staleSeconds !== undefined && { staleSeconds }), ...(now && { progress: now }) };
};

/**
 * Tells how old a response is whose parts came from memory: the header `Age` has the whole seconds of its oldest part,
 * and `extensions.staleSeconds` those of the oldest part that would have been read anew if a call had been left for it.
 * `extensions.progress` tells how many of its reads are ready, where some got no slot in time. Where it comes in parts no header can tell.
 * The extensions come with the first part, as far as is known then, and last for all of them.
 */
export const useAges = (callers: Callers): GatewayPlugin => ({
  onResultProcess: ({ serverContext: { req, res }, result, setResult }) => {
    const incoming = callers.get(req);
    if (!incoming || incoming.isStream || Array.isArray(result)) return;
    if (isAsyncIterable(result)) {
      const extensions = () => agesAndProgress(incoming.caller);
      setResult(mapParts(result, { firstExtensions: extensions, lastExtensions: extensions }));
      return;
    }
    const { oldestSeconds } = incoming.caller.ages;
    if (oldestSeconds !== undefined) res.setHeader('age', oldestSeconds);
    const own = agesAndProgress(incoming.caller);
    if (own) setResult({ ...result, extensions: { ...result.extensions, ...own } });
  },
});

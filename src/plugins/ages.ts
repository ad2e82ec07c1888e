import { isAsyncIterable } from 'graphql-yoga';
import type { UpstreamCaller } from '../upstream/index.ts';
import type { Callers } from './caller.ts';
import { mapParts } from './parts.ts';
import type { GatewayPlugin } from './plugin.ts';

/** The ages and the progress of the reads in a response; undefined if there is nothing to report. */
export const agesAndProgress = ({ ages, progress }: UpstreamCaller) => {
  const { stalestSeconds: staleSeconds } = ages;
  const { now } = progress;
  if (staleSeconds === undefined && !now) return undefined;
  return { ...(staleSeconds !== undefined && { staleSeconds }), ...(now && { progress: now }) };
};

/**
 * Reports the age of a response with reads from memory: the header `Age` has the whole seconds of the oldest read, and
 * `extensions.staleSeconds` those of the oldest read that would have been renewed if the rate limit had left a call.
 * `extensions.progress` says how many reads are ready if some got no slot in time. A response in parts has no `Age`,
 * since its head is sent too early. Its first part has the extensions known by then, and they apply to all parts.
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

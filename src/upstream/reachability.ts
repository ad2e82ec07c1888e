import type { UpstreamName } from './error.ts';
import { type UpstreamUrls, urlsOf } from './options.ts';
import { reach } from './reach.ts';
import { pause } from './sending/abort.ts';
import type { Proxies } from './sending/egress.ts';

/** Whether each upstream answers at all; undefined until that is known. */
export type Reachable = Readonly<Partial<Record<UpstreamName, boolean | undefined>>>;

interface Reachability {
  /** The findings of the last probes. */
  readonly now: Reachable;
  stop(): void;
}

interface ReachabilityOptions {
  readonly urls: UpstreamUrls;
  readonly proxies: Proxies | undefined;
  /** How long after a probe has ended the next one is sent, in milliseconds. */
  readonly everyMs: number;
  /** Called for each change, with the reason. */
  readonly onChange: (upstream: UpstreamName, reachable: boolean, finding: string) => void;
}

/** How long an upstream may take to connect, and again to answer, in milliseconds. */
const timeoutMs = 5000;

/** Probes the upstreams until stopped. A probe has no credential and skips a call's steps, so no limit counts it. */
export const watchReachability = ({
  urls,
  proxies,
  everyMs,
  onChange,
}: ReachabilityOptions): Reachability => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const found: Partial<Record<UpstreamName, boolean | undefined>> = {};

  const watch = async (upstream: UpstreamName, url: URL): Promise<void> => {
    found[upstream] = undefined;
    while (!signal.aborted) {
      const { reachable, finding } = await reach(url, { proxies, timeoutMs, signal });
      if (signal.aborted) return;
      // If the first probe is answered, there is nothing to tell.
      if (reachable !== (found[upstream] ?? true)) onChange(upstream, reachable, finding);
      found[upstream] = reachable;
      await pause(everyMs, signal);
    }
  };

  for (const [upstream, url] of urlsOf(urls)) void watch(upstream, url);
  return {
    get now() {
      return { ...found };
    },
    stop: () => stopping.abort(),
  };
};

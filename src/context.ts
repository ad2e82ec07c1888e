import { createLinks, type Links } from './links.ts';
import { createLoaders, type Loaders } from './loaders.ts';
import type { Upstream, UpstreamCaller, Upstreams } from './upstream/index.ts';

/** What resolvers share for the length of one request. Credentials are out of their reach. */
export interface Context {
  readonly upstream: Upstream;
  readonly loaders: Loaders;
  readonly links: Links;
}

/**
 * Binds upstreams and loaders to one request; nothing of it outlives the request.
 *
 * @param arrived see `Upstreams.bind`
 */
export const createContext = (
  upstreams: Upstreams,
  caller: UpstreamCaller,
  arrived?: Context,
): Context => {
  const upstream = upstreams.bind(caller, arrived?.upstream);
  return { upstream, loaders: createLoaders(upstream), links: createLinks() };
};

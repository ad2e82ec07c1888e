import { createLoaders, type Loaders } from '../loaders/index.ts';
import type { Upstream, UpstreamCaller, Upstreams } from '../upstream/index.ts';

/** What resolvers share for the length of one request. Credentials are out of their reach. */
export interface Context {
  readonly upstream: Upstream;
  readonly loaders: Loaders;
}

/** Binds upstreams and loaders to one request; nothing of it outlives the request. */
export const createContext = (upstreams: Upstreams, caller: UpstreamCaller): Context => {
  const upstream = upstreams.bind(caller);
  return { upstream, loaders: createLoaders(upstream) };
};

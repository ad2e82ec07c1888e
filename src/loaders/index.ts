import type { Upstream } from '../upstream/index.ts';
import type { Turns } from '../yield.ts';
import { type Collection, createOneOrList, type OneOrList } from './one-or-list.ts';

/** How one request reads single items: several of one kind by their list. */
export type Loaders = (collection: Collection) => OneOrList;

export const createLoaders = (upstream: Upstream, turns: Turns): Loaders => {
  const made = new Map<string, OneOrList>();
  return (collection) => {
    const { name, upstream: of } = collection.read;
    const read = made.get(name) ?? createOneOrList(upstream[of], turns, collection);
    made.set(name, read);
    return read;
  };
};

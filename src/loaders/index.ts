import type { Upstream } from '../upstream/index.ts';
import type { Turns } from '../yield.ts';
import { type Collection, createInList, createOneOrList, type OneOrList } from './one-or-list.ts';

/** The loader of a collection, made once for each request. */
export type Loaders = (collection: Collection) => OneOrList;

export const createLoaders = (upstream: Upstream, turns: Turns): Loaders => {
  const made = new Map<string, OneOrList>();
  return (collection) => {
    const { name, upstream: of, isList } = collection.read;
    if (isList) return createInList(collection);
    const read = made.get(name) ?? createOneOrList(upstream[of], turns, collection);
    made.set(name, read);
    return read;
  };
};

import DataLoader from 'dataloader';
import { isUnavailable, notFoundIn, UpstreamError } from './upstream/error.ts';

/** How one kind of thing is read, singly and whole. `Scope` names the collection, such as a service. */
export interface Collection<Scope, Item extends { readonly id: string }> {
  /** Equal strings for equal scopes. */
  readonly key: (scope: Scope) => string;
  readonly one: (scope: Scope, id: string) => Promise<Item>;
  readonly list: (scope: Scope) => Promise<readonly Item[]>;
  /** The reads as this request already has them; neither starts one. */
  readonly heldOne: (scope: Scope, id: string) => unknown;
  readonly heldList: (scope: Scope) => unknown;
}

interface Wanted<Scope> {
  readonly scope: Scope;
  readonly id: string;
}

/** Whether a list's failure says nothing of its items: it is not to be had, not allowed, or malformed. */
const concernsListAlone = (error: unknown): boolean =>
  isUnavailable(error) ||
  (error instanceof UpstreamError &&
    (error.failure.reason === 'bad-response' || error.failure.status === 403));

type Read<Item> = () => Promise<Item>;

/**
 * One read or one list. One item of a collection is read by its own GET; several by one list; what the
 * list lacks (it may be cut) singly. A list that the request already holds answers without a call, and
 * so does a single read. Where one of the two reads is not to be had, the other serves alone.
 *
 * Lifetime: one request. Remembers nothing that was read: the client holds the one cache.
 */
export const createOneOrList = <Scope, Item extends { readonly id: string }>(
  collection: Collection<Scope, Item>,
): ((scope: Scope, id: string) => Promise<Item>) => {
  /** Ids that were read singly, by collection: a second one means that a third is likely. A write makes them unheld. */
  const readSingly = new Map<string, Set<string>>();
  const indexes = new Map<Promise<readonly Item[]>, Promise<ReadonlyMap<string, Item>>>();

  const indexed = (list: Promise<readonly Item[]>): Promise<ReadonlyMap<string, Item>> => {
    const known = indexes.get(list);
    if (known) return known;
    const index = list.then((items) => new Map(items.map((item) => [item.id, item])));
    indexes.set(list, index);
    return index;
  };

  const singly = async (scope: Scope, id: string): Promise<Item> => {
    const key = collection.key(scope);
    readSingly.set(key, (readSingly.get(key) ?? new Set()).add(id));
    try {
      return await collection.one(scope, id);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      // Without the single read the list decides, where that is to be had.
      const items = await indexed(collection.list(scope)).catch((reason: unknown) => {
        throw isUnavailable(reason) ? error : reason;
      });
      const item = items.get(id);
      if (item === undefined) throw notFoundIn(error.failure.upstream, error.failure.operation);
      return item;
    }
  };

  const fromList = async (scope: Scope, id: string): Promise<Item> => {
    const index = await indexed(collection.list(scope)).catch((error: unknown) => {
      if (concernsListAlone(error)) return new Map<string, Item>();
      throw error;
    });
    return index.get(id) ?? singly(scope, id);
  };

  /** Decides for a group of one collection, and starts nothing yet. */
  const decide = (
    group: readonly Wanted<Scope>[],
    scope: Scope,
  ): ReadonlyMap<string, Read<Item>> => {
    const held = (id: string): boolean => collection.heldOne(scope, id) !== undefined;
    const ids = new Set(group.map(({ id }) => id));
    const fresh = new Set([...ids].filter((id) => !held(id)));
    const single = [...(readSingly.get(collection.key(scope)) ?? [])].filter(held);
    const listed = collection.heldList(scope) !== undefined || fresh.size + single.length > 1;
    return new Map(
      [...ids].map((id) => [
        id,
        () => (listed && fresh.has(id) ? fromList(scope, id) : singly(scope, id)),
      ]),
    );
  };

  // The batch answers with reads yet to be started, so that no item waits for another's answer.
  const loader = new DataLoader<Wanted<Scope>, Read<Item>>(
    async (wanted) => {
      const decisions = new Map<string, ReadonlyMap<string, Read<Item>>>();
      const groups = Map.groupBy(wanted, ({ scope }) => collection.key(scope));
      for (const [key, group] of groups) {
        const [first] = group;
        if (first) decisions.set(key, decide(group, first.scope));
      }
      return wanted.map(
        ({ scope, id }) =>
          decisions.get(collection.key(scope))?.get(id) ?? new Error(`Nothing decided for ${id}`),
      );
    },
    { cache: false },
  );

  return async (scope, id) => (await loader.load({ scope, id }))();
};

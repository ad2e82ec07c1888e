import DataLoader from 'dataloader';
import { createAttachment } from './attachment.ts';
import { isUnavailable, notFoundIn, UpstreamError } from './upstream/error.ts';

interface Identified {
  readonly id: string;
}

/** How one kind of thing is read, singly and whole. `Scope` names the collection, such as a service. */
export interface Collection<Scope, Item extends Identified> {
  /** Equal strings for equal scopes. */
  readonly key: (scope: Scope) => string;
  readonly one: (scope: Scope, id: string) => Promise<Item>;
  readonly list: (scope: Scope) => Promise<readonly Item[]>;
  /** The reads as this request already has them; neither starts one. */
  readonly heldOne: (scope: Scope, id: string) => unknown;
  readonly heldList: (scope: Scope) => unknown;
}

interface Wanted<Scope> extends Identified {
  readonly scope: Scope;
}

/**
 * Finds an item. `alone` says that nothing else can ask in the same tick, so that there is nothing to wait for
 * before it is decided how to read it.
 */
export type Find<Scope, Item> = (scope: Scope, id: string, alone: boolean) => Promise<Item>;

/** Whether a list's failure says nothing of its items: it is not to be had, not allowed, or malformed. */
const concernsListAlone = (error: unknown): boolean =>
  isUnavailable(error) ||
  (error instanceof UpstreamError &&
    (error.failure.reason === 'bad-response' || error.failure.status === 403));

/** Each list is indexed once, by however many requests it is shared: by the array that they all get. */
const indexes = createAttachment<ReadonlyMap<string, Identified>>('index by id');

const indexOf = <Item extends Identified>(items: readonly Item[]): ReadonlyMap<string, Item> => {
  // An array's index holds the array's own items.
  const known = indexes.of(items) as ReadonlyMap<string, Item> | undefined;
  if (known) return known;
  const index = new Map<string, Item>();
  for (const item of items) index.set(item.id, item);
  indexes.attach(items, index);
  return index;
};

/**
 * One read or one list. One item of a collection is read by its own GET; several by one list; what the
 * list lacks (it may be cut) singly. A list that the request already holds answers without a call, and
 * so does a single read. Where one of the two reads is not to be had, the other serves alone.
 *
 * Lifetime: one request. Remembers nothing that was read, but for a list's index, which lives with the list:
 * the client holds the one cache.
 */
export const createOneOrList = <Scope, Item extends Identified>(
  collection: Collection<Scope, Item>,
): Find<Scope, Item> => {
  /** Ids that were read singly, by collection: a second one means that a third is likely. A write makes them unheld. */
  const readSingly = new Map<string, Set<string>>();

  /** Without the single read the list decides, where that is to be had. */
  const insteadOf = async (error: UpstreamError, scope: Scope, id: string): Promise<Item> => {
    const items = await collection.list(scope).catch((reason: unknown) => {
      throw isUnavailable(reason) ? error : reason;
    });
    const item = indexOf(items).get(id);
    if (item === undefined) throw notFoundIn(error.failure.upstream, error.failure.operation);
    return item;
  };

  const singly = (scope: Scope, id: string): Promise<Item> => {
    const key = collection.key(scope);
    const ids = readSingly.get(key);
    if (ids) ids.add(id);
    else readSingly.set(key, new Set([id]));
    return collection.one(scope, id).catch((error: unknown) => {
      if (isUnavailable(error)) return insteadOf(error, scope, id);
      throw error;
    });
  };

  /** The list for many: asked for twice, so that the client knows it to be shared, and then kept. */
  const listForMany = (scope: Scope): (() => Promise<readonly Item[]>) => {
    let list: Promise<readonly Item[]> | undefined;
    let asked = 0;
    return () => {
      if (list && asked > 1) return list;
      asked += 1;
      list = collection.list(scope);
      return list;
    };
  };

  const fromList = (list: Promise<readonly Item[]>, scope: Scope, id: string): Promise<Item> =>
    list.then(
      (items) => indexOf(items).get(id) ?? singly(scope, id),
      (error: unknown) => {
        if (concernsListAlone(error)) return singly(scope, id);
        throw error;
      },
    );

  /** Decides how each of a group of one collection is read. */
  const decide = (
    group: readonly Wanted<Scope>[],
    scope: Scope,
  ): ((id: string) => Promise<Item>) => {
    const earlier = readSingly.get(collection.key(scope));
    // Most requests want one thing once.
    if (group.length === 1 && earlier === undefined && collection.heldList(scope) === undefined) {
      return (id) => singly(scope, id);
    }
    const held = (id: string): boolean => collection.heldOne(scope, id) !== undefined;
    const fresh = new Set(group.map(({ id }) => id).filter((id) => !held(id)));
    const single = [...(earlier ?? [])].filter(held);
    const listed = collection.heldList(scope) !== undefined || fresh.size + single.length > 1;
    const list = listForMany(scope);
    return (id) => (listed && fresh.has(id) ? fromList(list(), scope, id) : singly(scope, id));
  };

  const loader = new DataLoader<Wanted<Scope>, Item>(
    (wanted) => {
      const groups = Map.groupBy(wanted, ({ scope }) => collection.key(scope));
      const reads = new Map<string, (id: string) => Promise<Item>>();
      for (const [key, group] of groups) {
        const [first] = group;
        if (first) reads.set(key, decide(group, first.scope));
      }
      const read = ({ scope, id }: Wanted<Scope>) => reads.get(collection.key(scope))?.(id);
      // Answered with promises, each of which settles its own load: none waits for another's answer.
      return Promise.resolve(wanted.map(read) as unknown as Item[]);
    },
    { cache: false },
  );

  return (scope, id, alone) => {
    const wanted = { scope, id };
    return alone ? decide([wanted], scope)(id) : loader.load(wanted);
  };
};

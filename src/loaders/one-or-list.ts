import DataLoader from 'dataloader';
import { isUnavailable, notFoundIn, UpstreamError } from '../upstream/error.ts';
import type { AnyReads } from '../upstream/methods.ts';
import type { OperationFacts } from '../upstream/operation-facts.ts';
import type { Ids } from '../upstream/row.ts';
import type { Turns } from '../yield.ts';

/**
 * Makes a function that computes a value from a list, and computes it once for each list. All fields that wait for one
 * read get the same array, so they share the value.
 */
export const oncePerList = <Item, Value>(
  make: (list: readonly Item[]) => Value,
): ((list: readonly Item[]) => Value) => {
  const made = new WeakMap<readonly Item[], Value>();
  return (list) => {
    const known = made.get(list);
    if (known !== undefined) return known;
    const value = make(list);
    made.set(list, value);
    return value;
  };
};

/** The item of a list with this identifier; null if the list has none, for example since it was deleted. */
export const itemOf = <Item extends { readonly id: string }>(
  list: readonly Item[],
  id: string,
): Item | null => (itemsById(list).get(id) as Item | undefined) ?? null;

const itemsById = oncePerList(
  (items: readonly Item[]) => new Map(items.map((item) => [item.id, item])),
);

type Item = { readonly id: string };

/** The two ways to read items of one kind. The last parameter of `read` is the item's own identifier. */
export interface Collection {
  readonly read: OperationFacts;
  readonly list: OperationFacts;
  /** The name of the item's identifier, if `read` is the list. */
  readonly id: string;
}

/**
 * Reads one item.
 *
 * @param through the client to read with; a request has several clients, which differ in priority
 * @param isLinked whether the identifier comes from a record that has been read
 */
export type OneOrList = (ids: Ids, through: AnyReads, isLinked?: boolean) => Promise<Item>;

/** Whether a list failed in a way that says nothing about its items: it is unavailable, forbidden, or malformed. */
const concernsListAlone = (error: unknown): boolean =>
  isUnavailable(error) ||
  (error instanceof UpstreamError &&
    (error.failure.reason === 'bad-response' || error.failure.status === 403));

/** Finds an item that only the list has. */
export const createInList =
  ({ list: { name, upstream }, id }: Collection): OneOrList =>
  async (ids, through) => {
    // The row makes each item of a list an object with an identifier.
    const items = (await through.read(name, ids)) as readonly Item[];
    const item = itemOf(items, ids[id] ?? '');
    if (!item) throw notFoundIn(upstream, name);
    return item;
  };

/**
 * Makes the function that finds one item of a collection. One item is read by its own GET. Several items that are
 * asked for in one tick, or one item while calls are scarce, are read by the list. An item that the list lacks is then
 * read by its own GET, since the list may be incomplete. This is not needed for an item that a record links to, if the
 * list is complete and was requested after the record had arrived: the item does not exist. A read that the request or
 * the memory already has costs no call. If one of the two reads is unavailable, the other is used.
 *
 * The function serves one request, and remembers only how items were read; the client keeps the items.
 */
export const createOneOrList = (
  client: AnyReads,
  turns: Turns,
  { read: { name: one, upstream, parameters }, list: { name: list } }: Collection,
): OneOrList => {
  const id = parameters.at(-1) ?? '';
  const listOf = (ids: Ids): string => client.pathOf(list, ids);
  /** Items that were read by their own GET. The client may have forgotten some since, after a write. */
  const singles: Ids[] = [];

  /** Whether each item is one of several that are asked for in one tick. */
  const areOfSeveral = (asked: readonly Ids[]): readonly boolean[] => {
    // Items that were read singly earlier in the request count too: after a second item, a third is likely.
    const before = singles.filter((ids) => client.holds(one, ids));
    const wanted = Map.groupBy([...asked, ...before], listOf);
    const several = new Set(
      [...wanted].flatMap(([key, group]) =>
        new Set(group.map((ids) => ids[id])).size > 1 ? [key] : [],
      ),
    );
    return asked.map((ids) => several.has(listOf(ids)));
  };

  const isFromList = (ids: Ids, isOfSeveral: boolean): boolean => {
    if (client.holds(one, ids)) return false;
    if (client.holds(list, ids)) return true;
    const kept = client.kept(one, ids);
    const keptIn = client.kept(list, ids);
    // The newer answer is used, so that a response never shows older data than an earlier response.
    const isListOlder = kept !== undefined && kept.sentAt > (keptIn?.sentAt ?? 0);
    if (keptIn?.state === 'fresh' && !isListOlder) return true;
    if (kept?.state === 'fresh') return false;
    return isOfSeveral || (kept === undefined && client.isScarce(one, ids));
  };

  // The row makes each item of a list an object with an identifier, as it does for the single read.
  const readList = (ids: Ids, through: AnyReads) =>
    through.read(list, ids) as Promise<readonly Item[]>;

  /** Looks an item up in the list, because the single read is unavailable. */
  const insteadOfOne = async (ids: Ids, through: AnyReads, error: UpstreamError): Promise<Item> => {
    const items = await readList(ids, through).catch((reason: unknown) => {
      throw isUnavailable(reason) ? error : reason;
    });
    const item = itemOf(items, ids[id] ?? '');
    if (!item) throw notFoundIn(error.failure.upstream, error.failure.operation);
    return item;
  };

  const readOne = (ids: Ids, through: AnyReads): Promise<Item> => {
    if (!client.holds(one, ids)) singles.push(ids);
    return (through.read(one, ids) as Promise<Item>).catch((error: unknown) => {
      if (isUnavailable(error)) return insteadOfOne(ids, through, error);
      throw error;
    });
  };

  const readFromList = async (ids: Ids, through: AnyReads, linkedAt: number): Promise<Item> => {
    const items = await readList(ids, through).catch((error: unknown) => {
      if (concernsListAlone(error)) return undefined;
      throw error;
    });
    const item = items && itemOf(items, ids[id] ?? '');
    if (item) return item;
    if (items && (await through.isWholeSince(list, ids, linkedAt))) {
      throw notFoundIn(upstream, list);
    }
    return readOne(ids, through);
  };

  const loader = new DataLoader<Ids, boolean, string>(
    async (asked) => {
      // Without this, an item that is asked for again would count as before.
      loader.clearAll();
      return areOfSeveral(asked);
    },
    {
      cacheKeyFn: (ids) => client.pathOf(one, ids),
      batchScheduleFn: (callback) => turns.afterAll(callback),
    },
  );
  return async (ids, through, isLinked = false) => {
    const linkedAt = isLinked ? performance.now() : Infinity;
    const isOfSeveral = await loader.load(ids);
    await turns.giveWay();
    // Decided only now: meanwhile another request may have read the list, or begun to read an item of it.
    return isFromList(ids, isOfSeveral)
      ? readFromList(ids, through, linkedAt)
      : readOne(ids, through);
  };
};

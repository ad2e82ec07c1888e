import DataLoader from 'dataloader';
import type { KeptState } from '../upstream/call.ts';
import { isUnavailable, notFoundIn, UpstreamError } from '../upstream/error.ts';

/**
 * Makes something of a list once, however often it is asked for. The answer to a read is one array for
 * all fields that wait for it. Nothing is kept longer than the list.
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

/**
 * How one kind of thing is read, singly and by list. `Ids` are the identifiers of its path, and `Through` is what is
 * read through: the reads of one request may have several priorities.
 */
interface Collection<Ids, Item extends { readonly id: string }, Through> {
  /** The thing's own identifier. */
  readonly idOf: (ids: Ids) => string;
  /** Gives equal strings for things of one list. */
  readonly listOf: (ids: Ids) => string;
  readonly one: (ids: Ids, through: Through) => Promise<Item>;
  readonly list: (ids: Ids, through: Through) => Promise<readonly Item[]>;
  /** Whether this request already has the read, under way or done; neither starts one. */
  readonly holdsOne: (ids: Ids) => boolean;
  readonly holdsList: (ids: Ids) => boolean;
  /** What memory has of the reads; see `Client.kept`. */
  readonly keptOne: (ids: Ids) => KeptState | undefined;
  readonly keptList: (ids: Ids) => KeptState | undefined;
  /** See `Client.isScarce`. */
  readonly isScarce: (ids: Ids) => boolean;
}

/** Whether a list's failure says nothing of its items: it is unavailable, not allowed, or malformed. */
const concernsListAlone = (error: unknown): boolean =>
  isUnavailable(error) ||
  (error instanceof UpstreamError &&
    (error.failure.reason === 'bad-response' || error.failure.status === 403));

/**
 * Makes the function that finds one item of a collection. A single item is read by its own GET; several
 * that are asked for in one tick, or one while calls are scarce, by one list; what the list lacks (it may
 * be cut) singly. A list that the request already holds, or memory keeps, answers without a call, and so
 * does a single read. Where one of the two reads is unavailable, the other serves.
 *
 * Lifetime: one request. It remembers how items were read; the client remembers the items.
 */
export const createOneOrList = <Ids, Item extends { readonly id: string }, Through>(
  collection: Collection<Ids, Item, Through>,
): ((ids: Ids, through: Through) => Promise<Item>) => {
  const { idOf, listOf, one, list, holdsOne, holdsList, keptOne, keptList, isScarce } = collection;
  const byId = oncePerList(
    (items: readonly Item[]) => new Map(items.map((item) => [item.id, item])),
  );
  /** Items that were read singly. A write lets the client forget them. */
  const singles: Ids[] = [];

  /** Decides how to read each of the items that are asked for in one tick. */
  const choose = (asked: readonly Ids[]): readonly ('one' | 'list')[] => {
    // An item that was read singly before counts too: after a second one a third is likely.
    const wanted = Map.groupBy([...asked, ...singles.filter(holdsOne)], listOf);
    const several = new Set(
      [...wanted].flatMap(([key, group]) => (new Set(group.map(idOf)).size > 1 ? [key] : [])),
    );
    return asked.map((ids) => {
      if (holdsOne(ids)) return 'one';
      if (holdsList(ids)) return 'list';
      const kept = keptOne(ids);
      const keptIn = keptList(ids);
      // The newer of the two, or what was shown before would be undone.
      const isListOlder = kept !== undefined && kept.sentAt > (keptIn?.sentAt ?? 0);
      if (keptIn?.state === 'fresh' && !isListOlder) return 'list';
      if (kept?.state === 'fresh') return 'one';
      if (several.has(listOf(ids))) return 'list';
      return kept === undefined && isScarce(ids) ? 'list' : 'one';
    });
  };

  /** Looks an item up in the list, because the single read is unavailable. */
  const insteadOfOne = async (ids: Ids, through: Through, error: UpstreamError): Promise<Item> => {
    const items = await list(ids, through).catch((reason: unknown) => {
      throw isUnavailable(reason) ? error : reason;
    });
    const item = byId(items).get(idOf(ids));
    if (item === undefined) throw notFoundIn(error.failure.upstream, error.failure.operation);
    return item;
  };

  const readOne = (ids: Ids, through: Through): Promise<Item> => {
    if (!holdsOne(ids)) singles.push(ids);
    return one(ids, through).catch((error: unknown) => {
      if (isUnavailable(error)) return insteadOfOne(ids, through, error);
      throw error;
    });
  };

  const readFromList = async (ids: Ids, through: Through): Promise<Item> => {
    const items = await list(ids, through).catch((error: unknown) => {
      if (concernsListAlone(error)) return [];
      throw error;
    });
    return byId(items).get(idOf(ids)) ?? readOne(ids, through);
  };

  const loader = new DataLoader(async (asked: readonly Ids[]) => choose(asked), { cache: false });
  return async (ids, through) =>
    (await loader.load(ids)) === 'list' ? readFromList(ids, through) : readOne(ids, through);
};

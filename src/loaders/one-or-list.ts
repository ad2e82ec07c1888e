import DataLoader from 'dataloader';
import { isUnavailable, notFoundIn, UpstreamError, type UpstreamName } from '../upstream/error.ts';
import type { KeptState } from '../upstream/reads/read-call.ts';
import type { Turns } from '../yield.ts';

/**
 * Makes a value from a list once, and remembers it as long as the list lives. All fields that wait for one read get
 * the same array.
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

/** The part of a client that concerns one of its reads. */
export interface Reads<Name extends string, Ids, Result> {
  read(name: Name, ids: Ids): Promise<Result>;
  pathOf(name: Name, ids: Ids): string;
  holds(name: Name, ids: Ids): boolean;
  kept(name: Name, ids: Ids): KeptState | undefined;
  isScarce(name: Name, ids: Ids): boolean;
  isWholeSince(name: Name, ids: Ids, since: number): Promise<boolean>;
}

/** The names of the two reads of a kind of item, and of the item's identifier. */
interface Collection<One extends string, List extends string, Id> {
  readonly upstream: UpstreamName;
  readonly one: One;
  readonly list: List;
  readonly id: Id;
}

/** Whether a failed list says nothing about its items: the list is unavailable, not allowed, or malformed. */
const concernsListAlone = (error: unknown): boolean =>
  isUnavailable(error) ||
  (error instanceof UpstreamError &&
    (error.failure.reason === 'bad-response' || error.failure.status === 403));

/**
 * Makes the function that finds one item of a collection. One item is read by its own GET. Several items that are
 * asked for in one tick, or one item while calls are scarce, are read by the list; items that the list lacks (it may
 * be cut) are then read one by one. An item that a record links to does not exist if a whole list lacks it that was sent
 * after the record had come. A read that the request or the memory already has costs no call. If one of the two reads is
 * unavailable, the other is used.
 *
 * It lives for one request, and remembers how items were read; the client remembers the items.
 */
export const createOneOrList =
  <Ids extends { readonly [Name in keyof Ids]: string }, Item extends { readonly id: string }>() =>
  <One extends string, List extends string>(
    client: Reads<NoInfer<One>, Ids, Item> & Reads<NoInfer<List>, Ids, readonly Item[]>,
    turns: Turns,
    { upstream, one, list, id }: Collection<One, List, keyof Ids>,
  ) => {
    type Client = typeof client;
    const byId = oncePerList(
      (items: readonly Item[]) => new Map(items.map((item) => [item.id, item])),
    );
    const listOf = (ids: Ids): string => client.pathOf(list, ids);
    /** Items that were read one by one. After a write the client forgets them. */
    const singles: Ids[] = [];

    /** Decides how to read each item that is asked for in one tick. */
    const choose = (asked: readonly Ids[]): readonly ('one' | 'list')[] => {
      // Items that were read one by one before count too: after a second item a third is likely.
      const before = singles.filter((ids) => client.holds(one, ids));
      const wanted = Map.groupBy([...asked, ...before], listOf);
      const several = new Set(
        [...wanted].flatMap(([key, group]) =>
          new Set(group.map((ids) => ids[id])).size > 1 ? [key] : [],
        ),
      );
      const choiceOf = (ids: Ids): 'one' | 'list' => {
        if (client.holds(one, ids)) return 'one';
        if (client.holds(list, ids)) return 'list';
        const kept = client.kept(one, ids);
        const keptIn = client.kept(list, ids);
        // The newer answer is used, so that a response never goes back behind an earlier one.
        const isListOlder = kept !== undefined && kept.sentAt > (keptIn?.sentAt ?? 0);
        if (keptIn?.state === 'fresh' && !isListOlder) return 'list';
        if (kept?.state === 'fresh') return 'one';
        if (several.has(listOf(ids))) return 'list';
        return kept === undefined && client.isScarce(one, ids) ? 'list' : 'one';
      };
      return asked.map(choiceOf);
    };

    /** Looks an item up in the list, because the single read is unavailable. */
    const insteadOfOne = async (ids: Ids, through: Client, error: UpstreamError): Promise<Item> => {
      const items = await through.read(list, ids).catch((reason: unknown) => {
        throw isUnavailable(reason) ? error : reason;
      });
      const item = byId(items).get(ids[id]);
      if (item === undefined) throw notFoundIn(error.failure.upstream, error.failure.operation);
      return item;
    };

    const readOne = (ids: Ids, through: Client): Promise<Item> => {
      if (!client.holds(one, ids)) singles.push(ids);
      return through.read(one, ids).catch((error: unknown) => {
        if (isUnavailable(error)) return insteadOfOne(ids, through, error);
        throw error;
      });
    };

    const readFromList = async (ids: Ids, through: Client, linkedAt: number): Promise<Item> => {
      const items = await through.read(list, ids).catch((error: unknown) => {
        if (concernsListAlone(error)) return undefined;
        throw error;
      });
      const item = items && byId(items).get(ids[id]);
      if (item) return item;
      if (items && (await through.isWholeSince(list, ids, linkedAt))) {
        throw notFoundIn(upstream, list);
      }
      return readOne(ids, through);
    };

    const loader = new DataLoader<Ids, 'one' | 'list', string>(
      async (asked) => {
        // What is asked for from now on is chosen anew.
        loader.clearAll();
        return choose(asked);
      },
      {
        cacheKeyFn: (ids) => client.pathOf(one, ids),
        batchScheduleFn: (callback) => turns.afterAll(callback),
      },
    );
    /**
     * @param through the client to read with: one request may read with several priorities
     * @param isLinked whether a record that has come links to the item
     */
    return async (ids: Ids, through: Client, isLinked = false): Promise<Item> => {
      const linkedAt = isLinked ? performance.now() : Infinity;
      const choice = await loader.load(ids);
      await turns.giveWay();
      return choice === 'list' ? readFromList(ids, through, linkedAt) : readOne(ids, through);
    };
  };

import DataLoader from 'dataloader';
import { isUnavailable, notFoundIn, UpstreamError } from './upstream/error.ts';

interface Identified {
  readonly id: string;
}

/**
 * How one kind of thing is read, singly and by list. `Source` is what a request reads from; `Scope` names
 * the collection, such as a service.
 */
export interface Collection<Source, Scope, Item extends Identified> {
  /** Equal strings for equal scopes. */
  readonly key: (scope: Scope) => string;
  readonly one: (source: Source, scope: Scope, id: string) => Promise<Item>;
  readonly list: (source: Source, scope: Scope) => Promise<readonly Item[]>;
  /** Whether this request already has the read, under way or done; neither starts one. */
  readonly holdsOne: (source: Source, scope: Scope, id: string) => boolean;
  readonly holdsList: (source: Source, scope: Scope) => boolean;
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

/** The items of one scope. */
class ScopedFinder<Source, Scope, Item extends Identified> {
  readonly #collection: Collection<Source, Scope, Item>;
  readonly #source: Source;
  readonly #scope: Scope;
  /** Ids that were read singly: a second one means that a third is likely. A write makes them unheld. */
  readonly #readSingly = new Map<string, true>();
  #loader: DataLoader<string, Item> | undefined;

  constructor(collection: Collection<Source, Scope, Item>, source: Source, scope: Scope) {
    this.#collection = collection;
    this.#source = source;
    this.#scope = scope;
  }

  find(id: string, alone: boolean): Promise<Item> {
    // Most requests want one thing once.
    if (alone && this.#readSingly.size === 0 && !this.#holdsList()) return this.#singly(id);
    this.#loader ??= new DataLoader((ids) => this.#readAll(ids), { cache: false });
    return this.#loader.load(id);
  }

  #holdsList(): boolean {
    return this.#collection.holdsList(this.#source, this.#scope);
  }

  #singly(id: string): Promise<Item> {
    this.#readSingly.set(id, true);
    return this.#collection.one(this.#source, this.#scope, id).catch((error: unknown) => {
      if (isUnavailable(error)) return this.#insteadOf(error, id);
      throw error;
    });
  }

  /** Without the single read the list decides, where that is to be had. */
  async #insteadOf(error: UpstreamError, id: string): Promise<Item> {
    const rows = await this.#collection.list(this.#source, this.#scope).catch((reason: unknown) => {
      throw isUnavailable(reason) ? error : reason;
    });
    const item = rows.find((row) => row.id === id);
    if (item === undefined) throw notFoundIn(error.failure.upstream, error.failure.operation);
    return item;
  }

  /**
   * Decides how each is read, of all that are asked for in one tick. Answers with promises where an item waits
   * for a read of its own: each settles its own load.
   */
  #readAll(ids: readonly string[]): Promise<Item[]> {
    const { holdsOne } = this.#collection;
    const isHeld = (id: string): boolean => holdsOne(this.#source, this.#scope, id);
    const fresh = new Set(ids.filter((id) => !isHeld(id)));
    const earlier = [...this.#readSingly.keys()].filter(isHeld);
    const listed = this.#holdsList() || fresh.size + earlier.length > 1;
    const fromList = listed ? ids.filter((id) => fresh.has(id)) : [];
    const picked = fromList.length > 0 ? this.#pick() : undefined;
    if (picked && fromList.length === ids.length) {
      // Items, but for those that the list lacks: DataLoader takes promises too, and its types do not.
      return picked.then((pick) => ids.map(pick) as Item[]);
    }
    const read = (id: string): Promise<Item> =>
      picked && fresh.has(id) ? picked.then((pick) => pick(id)) : this.#singly(id);
    return Promise.resolve(ids.map(read) as unknown as Item[]);
  }

  /** What finds each of the ids: in the list, or singly where it cannot be found there. */
  #pick(): Promise<(id: string) => Item | Promise<Item>> {
    return this.#collection
      .list(this.#source, this.#scope)
      .then((rows) => new Map(rows.map((row) => [row.id, row])))
      .then(
        (found) => (id) => found.get(id) ?? this.#singly(id),
        (error: unknown) => {
          if (concernsListAlone(error)) return (id) => this.#singly(id);
          throw error;
        },
      );
  }
}

/**
 * One read or one list. One item of a collection is read by its own GET; several by one list; what the
 * list lacks (it may be cut) singly. A list that the request already holds answers without a call, and
 * so does a single read. Where one of the two reads is not to be had, the other serves alone.
 *
 * Lifetime: one request. Remembers nothing that was read: the client holds the one cache.
 */
export const createOneOrList = <Source, Scope, Item extends Identified>(
  collection: Collection<Source, Scope, Item>,
  source: Source,
): Find<Scope, Item> => {
  const finders = new Map<string, ScopedFinder<Source, Scope, Item>>();
  return (scope, id, alone) => {
    const key = collection.key(scope);
    let finder = finders.get(key);
    if (!finder) {
      finder = new ScopedFinder(collection, source, scope);
      finders.set(key, finder);
    }
    return finder.find(id, alone);
  };
};

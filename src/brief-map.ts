/**
 * A Map for entries that come and go. A Map of V8's makes a new table now and then, and each table refers to the
 * next one: once one of them has grown old, all that follow are taken for alive until a full collection, with
 * whatever was in them. Here a new Map takes over before long what is left, and no table of the one before refers to it.
 */
export class BriefMap<Key, Value> {
  #entries = new Map<Key, Value>();
  #deleted = 0;

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  set(key: Key, value: Value): void {
    this.#entries.set(key, value);
  }

  /** Gives whether there was such an entry. */
  delete(key: Key): boolean {
    if (!this.#entries.delete(key)) return false;
    this.#deleted += 1;
    // As many as are left, so that taking them over costs each entry little.
    if (this.#deleted > this.#entries.size + 32) {
      this.#entries = new Map(this.#entries);
      this.#deleted = 0;
    }
    return true;
  }

  /** The keys, in the order in which they came. */
  keys(): readonly Key[] {
    return [...this.#entries.keys()];
  }
}

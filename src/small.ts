import { BriefMap } from './brief-map.ts';

/**
 * A map that mostly holds nothing or one entry, for what every request makes: a Map takes far more. Keys are
 * told apart by `===`, and none is undefined.
 */
export class SmallMap<Key extends string | object, Value> {
  #key: Key | undefined;
  #value: Value | undefined;
  /** Everything, once there has been more than one entry. */
  #all: BriefMap<Key, Value> | undefined;

  get size(): number {
    if (this.#all) return this.#all.size;
    return this.#key === undefined ? 0 : 1;
  }

  get(key: Key): Value | undefined {
    if (this.#all) return this.#all.get(key);
    return this.#key === key ? this.#value : undefined;
  }

  has(key: Key): boolean {
    return this.#all ? this.#all.has(key) : this.#key === key;
  }

  set(key: Key, value: Value): void {
    if (this.#all) this.#all.set(key, value);
    else if (this.#key === undefined || this.#key === key) {
      this.#key = key;
      this.#value = value;
    } else {
      this.#all = new BriefMap();
      // There is a value where there is a key.
      this.#all.set(this.#key, this.#value as Value);
      this.#all.set(key, value);
      this.#forgetOnly();
    }
  }

  /** Gives whether there was such an entry. */
  delete(key: Key): boolean {
    if (this.#all) return this.#all.delete(key);
    if (this.#key !== key) return false;
    this.#forgetOnly();
    return true;
  }

  clear(): void {
    this.#all = undefined;
    this.#forgetOnly();
  }

  /** The keys, in the order in which they came. */
  keys(): readonly Key[] {
    if (this.#all) return this.#all.keys();
    return this.#key === undefined ? [] : [this.#key];
  }

  #forgetOnly(): void {
    this.#key = undefined;
    this.#value = undefined;
  }
}

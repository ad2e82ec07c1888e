import type { Watcher } from '../call.ts';

/** Which answers of a read a watcher has seen. */
interface Sight {
  /** The number of the watcher's last event that used the read. */
  event: number;
  /** The version that the watcher got; undefined if it got none, or one that was not kept. */
  version: number | undefined;
  /** The count of all answers when the watcher saw the read. */
  taken: number;
}

/** The watchers of a read, and what each of them has seen of it. */
export class Sights {
  readonly #sights = new Map<Watcher, Sight>();
  /** Counts the answers that differed from the one before. */
  #version = 0;
  /** Counts all answers. */
  #taken = 0;

  get isEmpty(): boolean {
    return this.#sights.size === 0;
  }

  /** Whether the events of all its watchers still lack reads. */
  get areFilling(): boolean {
    return [...this.#sights.keys()].every(({ isFilling }) => isFilling);
  }

  enter(watcher: Watcher): void {
    const sight = this.#sights.get(watcher);
    const { event } = watcher;
    if (sight) sight.event = event;
    else this.#sights.set(watcher, { event, version: undefined, taken: this.#taken });
  }

  leave(watcher: Watcher): void {
    this.#sights.delete(watcher);
  }

  isUsedBy(watcher: Watcher): boolean {
    return this.#sights.get(watcher)?.event === watcher.event;
  }

  /** Notes what the watcher got: the newest answer, an older one, or something else, such as an error. */
  see(watcher: Watcher, seen: 'newest' | 'older' | 'other'): void {
    const sight = this.#sights.get(watcher);
    if (!sight) return;
    sight.version = seen === 'newest' ? this.#version : undefined;
    sight.taken = seen === 'older' ? this.#taken - 1 : this.#taken;
  }

  /** Notes a new answer, and wakes the watchers that have not seen it. A quiet answer wakes nobody until the next one comes. */
  take(differs: boolean, isQuiet = false): void {
    if (differs) this.#version += 1;
    this.#taken += 1;
    if (isQuiet) return;
    for (const watcher of this.#sights.keys()) if (this.hasNewsFor(watcher)) watcher.wake();
  }

  hasNewsFor(watcher: Watcher): boolean {
    const sight = this.#sights.get(watcher);
    if (!sight) return false;
    return sight.version === undefined
      ? this.#taken > sight.taken
      : this.#version !== sight.version;
  }
}

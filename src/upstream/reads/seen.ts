import type { Watcher } from '../watcher.ts';

/** What a watcher has seen of a read. */
interface Sight {
  /** The number of the watcher's last event that used the read. */
  event: number;
  /** The digest of the answer that the watcher got; undefined if it got an error, or an answer that was not taken. */
  digest: string | undefined;
  /** `#count` at that time. */
  count: number;
}

/** What each watcher of a read has seen of it, so that a watcher wakes only if its next event might be different. */
export class Seen {
  readonly #by = new Map<Watcher, Sight>();
  /** Counts all answers and failures: a watcher that got an error wakes for the next one of either. */
  #count = 0;

  get isByNobody(): boolean {
    return this.#by.size === 0;
  }

  /** Whether the newest event of every watcher lacks reads. */
  get areAllFilling(): boolean {
    return [...this.#by.keys()].every(({ isFilling }) => isFilling);
  }

  isUsedBy(watcher: Watcher): boolean {
    return this.#by.get(watcher)?.event === watcher.event;
  }

  /**
   * @param digest the digest of the answer that an event would show now
   * @param isFailing whether an event would show a failure instead
   */
  hasNewsFor(watcher: Watcher, digest: string | undefined, isFailing: boolean): boolean {
    const sight = this.#by.get(watcher);
    if (!sight) return false;
    if (sight.digest === undefined) return this.#count > sight.count;
    return isFailing || digest !== sight.digest;
  }

  /** Notes that the watcher's newest event uses the read. */
  use(watcher: Watcher): void {
    const known = this.#by.get(watcher) ?? { digest: undefined, count: this.#count };
    this.#by.set(watcher, { ...known, event: watcher.event });
  }

  /**
   * Notes what the watcher got.
   *
   * @param isOlder whether there is a newer answer: the watcher has to wake for it
   */
  note(watcher: Watcher, digest: string | undefined, isOlder: boolean): void {
    const sight = this.#by.get(watcher);
    if (sight) Object.assign(sight, { digest, count: isOlder ? this.#count - 1 : this.#count });
  }

  leave(watcher: Watcher): void {
    this.#by.delete(watcher);
  }

  /** Counts an answer that wakes nobody. */
  count(): void {
    this.#count += 1;
  }

  /** Counts an answer or a failure, and wakes the watchers for which it is news. */
  tell(digest: string | undefined, isFailing: boolean): void {
    this.count();
    for (const watcher of this.#by.keys()) {
      if (this.hasNewsFor(watcher, digest, isFailing)) watcher.wake();
    }
  }
}

import type { Answer, Call, Watcher } from '../upstream/call.ts';

/** What a poll has come to. */
export interface Polling {
  readonly call: Call;
  readonly answer: Answer;
}

/** What a watcher has seen of a read. */
interface Sight {
  /** Number of the watcher's event that used the read last. */
  event: number;
  /** The version that it got; undefined where it got none, or one that was not kept. */
  version: number | undefined;
  /** How many answers had been taken by then. */
  taken: number;
  /** Reads it again for the watcher's credential. */
  readonly send: () => Promise<Polling>;
}

/** Who watches a read, and what each of them has seen of it. */
export class Sights {
  readonly #sights = new Map<Watcher, Sight>();
  /** Counts the answers that differed from the one before. */
  #version = 0;
  /** Counts all answers. */
  #taken = 0;

  get isEmpty(): boolean {
    return this.#sights.size === 0;
  }

  /** Whether the events of all who watch it still lack reads. */
  get areFilling(): boolean {
    return [...this.#sights.keys()].every(({ isFilling }) => isFilling);
  }

  /** Reads it for one of those who watch it; undefined where nobody does. */
  get send(): Sight['send'] | undefined {
    const [first] = this.#sights.values();
    return first?.send;
  }

  /** Notes that the watcher's newest event uses the read. */
  enter(watcher: Watcher, makeSend: () => Sight['send']): void {
    const sight = this.#sights.get(watcher);
    const { event } = watcher;
    if (sight) sight.event = event;
    else {
      const first = { event, version: undefined, taken: this.#taken, send: makeSend() };
      this.#sights.set(watcher, first);
    }
  }

  leave(watcher: Watcher): void {
    this.#sights.delete(watcher);
  }

  /** Whether the watcher's newest event uses the read. */
  isUsedBy(watcher: Watcher): boolean {
    return this.#sights.get(watcher)?.event === watcher.event;
  }

  /** What the watcher has got: the newest answer, an older one, or something that the next answer will be news to. */
  see(watcher: Watcher, seen: 'newest' | 'older' | 'other'): void {
    const sight = this.#sights.get(watcher);
    if (!sight) return;
    sight.version = seen === 'newest' ? this.#version : undefined;
    sight.taken = seen === 'older' ? this.#taken - 1 : this.#taken;
  }

  /** There is a new answer. Wakes those to whom it is news, unless they are to learn of it by the next one. */
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

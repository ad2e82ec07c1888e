/** An item's place in a queue. */
export interface Queued<Item> {
  readonly item: Item;
  before: Queued<Item> | undefined;
  after: Queued<Item> | undefined;
  /** False once it has left. */
  queued: boolean;
}

/** A queue that an item can leave from any place. Everything takes constant time. */
export class Fifo<Item> {
  size = 0;
  #first: Queued<Item> | undefined;
  #last: Queued<Item> | undefined;

  push(item: Item): Queued<Item> {
    const queued: Queued<Item> = { item, before: this.#last, after: undefined, queued: true };
    if (this.#last) this.#last.after = queued;
    else this.#first = queued;
    this.#last = queued;
    this.size += 1;
    return queued;
  }

  /** Takes out the item that has waited longest. */
  shift(): Item | undefined {
    const first = this.#first;
    if (first) this.remove(first);
    return first?.item;
  }

  /** Does nothing where it has left already. */
  remove(queued: Queued<Item>): void {
    if (!queued.queued) return;
    queued.queued = false;
    const { before, after } = queued;
    if (before) before.after = after;
    else this.#first = after;
    if (after) after.before = before;
    else this.#last = before;
    queued.before = undefined;
    queued.after = undefined;
    this.size -= 1;
  }
}

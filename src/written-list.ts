/** Members that the gateway puts into each row when it is parsed, whatever the row has there. */
export interface PlacedMembers {
  /** The same list each time for rows of the same kind. */
  readonly names: readonly string[];
  readonly values: Readonly<Record<string, string>>;
}

/**
 * A list of objects that has arrived as JSON: it is parsed when it is iterated over, and an
 * executor may read the JSON itself instead.
 */
export abstract class WrittenList implements Iterable<unknown> {
  /** The rows, parsed. Throws what the list's read would have failed with. */
  abstract all(): readonly unknown[];

  [Symbol.iterator](): Iterator<unknown> {
    return this.all()[Symbol.iterator]();
  }

  /**
   * What is put into each row; undefined where that depends on the row, or all is parsed already.
   */
  abstract readonly placed: PlacedMembers | undefined;

  /**
   * What is made of the rows where they stand; undefined where they cannot be had so, or nothing
   * was made of them. Whoever makes it also says where the list ends, and answers for all between
   * being JSON of objects that have an `id`.
   *
   * @param make is given JSON in UTF-8, and where the list's bracket stands in it
   */
  abstract readWritten<Made extends { readonly end: number }>(
    make: (json: Buffer, start: number) => Made | undefined,
  ): Made | undefined;
}

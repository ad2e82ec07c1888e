import type { ResponsePath } from 'graphql';

/** An object or a list of the response. */
export type Container = Record<string | number, unknown> | unknown[];

/**
 * A position of the response: its path, which is what resolvers see of it, and the object or list that
 * its value is written to.
 */
export class Place implements ResponsePath {
  readonly prev: Place | undefined;
  readonly key: string | number;
  readonly typename: string | undefined;
  readonly #container: Container;
  readonly #nullable: boolean;

  constructor(
    prev: Place | undefined,
    key: string | number,
    typename: string | undefined,
    container: Container,
    nullable: boolean,
  ) {
    this.prev = prev;
    this.key = key;
    this.typename = typename;
    this.#container = container;
    this.#nullable = nullable;
  }

  get nullable(): boolean {
    return this.#nullable;
  }

  put(value: unknown): void {
    (this.#container as Record<string | number, unknown>)[this.key] = value;
  }
}

/** The position that an error at a place makes null; undefined if it makes all data null. */
export const nulledBy = (failed: Place): Place | undefined => {
  let place: Place | undefined = failed;
  while (place && !place.nullable) place = place.prev;
  return place;
};

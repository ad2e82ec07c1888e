import { GraphQLError } from 'graphql';

/** What each error counts in the size of the response, in characters. */
export const errorSize = 200;

/** The most errors of a full response. */
export const enoughErrors = 1000;

const limit = 'responseSize';

export const tooLarge = (allowed: number, what = ''): GraphQLError =>
  new GraphQLError(`The response is too large: at most ${allowed} characters ${what}are allowed.`, {
    extensions: { code: 'LIMIT_EXCEEDED', limit, allowed },
  });

/** Whether an error says that the response is too large. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof GraphQLError && error.extensions.limit === limit;

/** What a number, or the syntax around a value, counts in the size of the response, in characters. */
export const smallSize = 8;

/** About the length of the JSON of a leaf and its key. */
export const leafSize = (key: string, leaf: unknown): number =>
  key.length + (typeof leaf === 'string' ? leaf.length : smallSize);

/** Counts the characters of a response while it is made, close to the length of its JSON. */
export class ResponseSize {
  readonly most: number;
  #characters = 0;

  constructor(most: number) {
    this.most = most;
  }

  get characters(): number {
    return this.#characters;
  }

  get isFull(): boolean {
    return this.#characters > this.most;
  }

  /** Counts characters without checking the limit. */
  add(characters: number): void {
    this.#characters += characters;
  }

  /** Counts characters. Throws once the response is full, which stops its execution. */
  count(characters: number): void {
    this.#characters += characters;
    if (this.#characters > this.most) throw tooLarge(this.most);
  }
}

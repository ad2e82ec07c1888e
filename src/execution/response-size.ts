import { GraphQLError } from 'graphql';

/** What an error takes of the room for a response, in characters. */
export const errorSize = 200;

/** Errors that tell enough of a response that is full. */
export const enoughErrors = 1000;

export const tooLarge = (allowed: number, what = ''): GraphQLError =>
  new GraphQLError(`The response is too large: at most ${allowed} characters ${what}are allowed.`, {
    extensions: { code: 'LIMIT_EXCEEDED', limit: 'responseSize', allowed },
  });

/** Characters of a number, or of what stands around a value. */
export const smallSize = 8;

/** About how many characters the JSON of a leaf has, with its key. */
export const leafSize = (key: string, leaf: unknown): number =>
  key.length + (typeof leaf === 'string' ? leaf.length : smallSize);

/** Counts the characters of a response while it is made, about as many as its JSON has. */
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

  /** Counts what is in the response already, or may not fail. */
  add(characters: number): void {
    this.#characters += characters;
  }

  /** Counts more; throws once the response is full: nothing more of it is made then. */
  count(characters: number): void {
    this.#characters += characters;
    if (this.#characters > this.most) throw tooLarge(this.most);
  }
}

import { GraphQLError } from 'graphql';

/** Failures that tell enough of a response that is full. */
const enoughErrors = 1000;

/** Characters of a number, or of what stands around a value. */
const smallSize = 8;

/**
 * What a value that is awaited, and a part that comes later, take of the room for a response, in characters: Yoga's executor
 * has been seen to hold 6 KB for the one and 4 KB for the other, and looks through all parts for each error.
 */
const awaitedSize = 600;
const partSize = 5000;

/**
 * Counts the characters of a response that Yoga's executor makes, roughly. What goes beyond is null, with an error; the
 * gateway's own executor counts by itself.
 */
export class ResponseSize {
  readonly #most: number;
  #characters = 0;
  #errors = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether anything more is to be resolved. Throws where the response is full, until that has been told often enough. */
  hasRoom(): boolean {
    return this.#count(0);
  }

  countAwaited(): void {
    this.#characters += awaitedSize;
  }

  /**
   * The value, counted. Throws where the response is full, and gives null once that has been told often enough.
   *
   * @param parts how many later parts the value has, or each of its items
   */
  counted(key: string, value: unknown, parts: number): unknown {
    if (value === null || value === undefined || value instanceof Error) return value;
    const items = Array.isArray(value) ? value.length : 1;
    const text = typeof value === 'string' ? value.length : 0;
    const size = key.length + text + items * (smallSize + parts * partSize);
    return this.#count(size) ? value : null;
  }

  #count(characters: number): boolean {
    this.#characters += characters;
    if (this.#characters <= this.#most) return true;
    this.#errors += 1;
    if (this.#errors > enoughErrors) return false;
    throw new GraphQLError(
      `The response is too large: at most ${this.#most} characters are allowed.`,
      {
        extensions: { code: 'LIMIT_EXCEEDED', limit: 'responseSize', allowed: this.#most },
      },
    );
  }
}

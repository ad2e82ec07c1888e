import type { ExecutionResult } from 'graphql';
import { JsonText } from './json-text.ts';
import { holdersIn, type Result } from './result.ts';

/** Prints a result in which texts may stand, or what such a one holds. */
class Printer {
  readonly #holders: ReadonlySet<unknown>;

  constructor(holders: readonly Result[]) {
    this.#holders = new Set(holders);
  }

  /**
   * Puts JSON together of pieces, each of which is measured by itself: to measure the whole, V8 would have to copy
   * it into one piece first.
   */
  printMembers(members: object): JsonText {
    let json = '';
    let bytes = 0;
    for (const [key, value] of Object.entries(members)) {
      const printed = this.#print(value);
      if (!printed) continue;
      // Keys are names of GraphQL, in which nothing is to be escaped, and of one byte a character.
      json += `${json === '' ? '{"' : ',"'}${key}":${printed.json}`;
      bytes += key.length + 4 + printed.bytes;
    }
    return json === '' ? new JsonText('{}', 2) : new JsonText(`${json}}`, bytes + 1);
  }

  #print(value: unknown): JsonText | undefined {
    if (value instanceof JsonText) return value;
    if (this.#holders.has(value)) return this.printMembers(value as Result);
    const json = JSON.stringify(value);
    return json === undefined ? undefined : new JsonText(json);
  }
}

const text = Symbol('the text, once it is printed');

/** A result that goes to several requests; its text is no member of it. */
type SharedResult = ExecutionResult & { [text]: JsonText | undefined };

/** Has a result printed once for all requests that it goes to. It must not change any more. */
export const shareText = (result: ExecutionResult): void => {
  Object.defineProperty(result, text, { value: undefined, writable: true, enumerable: false });
};

const isShared = (result: ExecutionResult): result is SharedResult => text in result;

const print = (result: ExecutionResult): JsonText => {
  const holders = result.data && holdersIn(result.data);
  return holders ? new Printer(holders).printMembers(result) : new JsonText(JSON.stringify(result));
};

/**
 * The result as JSON: what JSON.stringify gives of the same one without texts, which it is given to
 * where there are none. To be called once nothing is awaited any more.
 */
export const printResult = (result: ExecutionResult): JsonText => {
  if (!isShared(result)) return print(result);
  result[text] ??= print(result);
  return result[text];
};

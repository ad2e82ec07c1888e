import type { ExecutionResult } from 'graphql';
import { JsonText } from './json-text.ts';
import { Result, Root } from './result.ts';

/**
 * Puts JSON together of pieces, each of which is measured by itself: to measure the whole, V8 would have to copy
 * it into one piece first.
 */
const printMembers = (members: object): JsonText => {
  let json = '';
  let bytes = 0;
  for (const key of Object.keys(members)) {
    const printed = print((members as Readonly<Record<string, unknown>>)[key]);
    if (!printed) continue;
    // Keys are names of GraphQL, in which nothing is to be escaped, and of one byte a character.
    json += `${json === '' ? '{"' : ',"'}${key}":${printed.json}`;
    bytes += key.length + 4 + printed.bytes;
  }
  return json === '' ? new JsonText('{}', 2) : new JsonText(`${json}}`, bytes + 1);
};

/** Texts stand in results alone: in no list, and in nothing that a scalar gave. */
const print = (value: unknown): JsonText | undefined => {
  if (value instanceof JsonText) return value;
  if (value instanceof Result) return printMembers(value);
  const json = JSON.stringify(value);
  return json === undefined ? undefined : new JsonText(json);
};

/**
 * The result as JSON: what JSON.stringify gives of the same one without texts, which it is given to
 * where there are none. To be called once nothing is awaited any more.
 */
export const printResult = (result: ExecutionResult): JsonText =>
  result.data && Root.hasTexts(result.data)
    ? printMembers(result)
    : new JsonText(JSON.stringify(result));

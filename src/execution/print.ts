import type { ExecutionResult } from 'graphql';
import { JsonText } from './json-text.ts';
import { Result, Root } from './result.ts';

const printMembers = (members: object): string => {
  let json = '';
  for (const key of Object.keys(members)) {
    const printed = print((members as Readonly<Record<string, unknown>>)[key]);
    // Keys are names of GraphQL, in which nothing is to be escaped.
    if (printed !== undefined) json += `${json === '' ? '{"' : ',"'}${key}":${printed}`;
  }
  return json === '' ? '{}' : `${json}}`;
};

/** Texts stand in results alone: in no list, and in nothing that a scalar gave. */
const print = (value: unknown): string | undefined => {
  if (value instanceof JsonText) return value.json;
  return value instanceof Result ? printMembers(value) : JSON.stringify(value);
};

/**
 * The result as JSON: what JSON.stringify gives of the same one without texts, which it is given to
 * where there are none. To be called once nothing is awaited any more.
 */
export const printResult = (result: ExecutionResult): string =>
  result.data && Root.hasTexts(result.data) ? printMembers(result) : JSON.stringify(result);

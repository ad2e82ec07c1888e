import { isObject } from '../is-object.ts';
import type { JsonObject, ListedTool } from './protocol.ts';
import { cut, kindOf, visible } from './text.ts';
import { alsoTaken } from './words.ts';

const longestQuote = 100;
/** The most words that a refusal lists. */
const mostListed = 12;
/** The most wrong values that a refusal tells. Who sends a long list would repeat the mistake in each item. */
const mostWrong = 10;

/** A value in a refusal. A list or an object may be nested too deeply for JSON. */
const quoted = (value: unknown): string =>
  typeof value === 'object' ? kindOf(value) : visible(cut(JSON.stringify(value), longestQuote));

/** How many letters have to be added, removed or replaced to make one word of another. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (const [index, counterpart] of [...other].entries()) {
      const replaced = (row[index] ?? 0) + (letter === counterpart ? 0 : 1);
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
};

/** The word that was probably meant; undefined if none is similar. */
const nearest = (written: string, words: readonly string[]): string | undefined => {
  const lower = cut(written, longestQuote).toLowerCase();
  const [best] = words
    .map((word) => ({ word, letters: distance(lower, word.toLowerCase()) }))
    .sort((one, other) => one.letters - other.letters);
  return best && best.letters <= 1 + lower.length * 0.4 ? best.word : undefined;
};

const wordFault = (place: string, value: unknown, words: readonly string[]): string | undefined => {
  if (typeof value === 'string' && (words.includes(value) || alsoTaken.has(value)))
    return undefined;
  const meant = typeof value === 'string' ? nearest(value, words) : undefined;
  const expected = words.length > mostListed ? "the words in the tool's schema" : words.join(', ');
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`;
  return `${place} must be one of ${expected}, got ${quoted(value)}.${hint}`;
};

const integerFault = (
  place: string,
  value: unknown,
  { minimum, maximum }: JsonObject,
): string | undefined => {
  const [least, most] = [Number(minimum ?? -Infinity), Number(maximum ?? Infinity)];
  if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) return undefined;
  const range = maximum === undefined ? `of at least ${least}` : `from ${least} to ${most}`;
  return `${place} must be an integer ${range}, got ${quoted(value)}.`;
};

/** What is wrong with a value. Types without limits are left to the operation. */
function* faultsOf(place: string, value: unknown, schema: JsonObject): Generator<string> {
  if (schema.type === 'array' && isObject(schema.items)) {
    const { items } = schema;
    if (Array.isArray(value)) {
      if (value.length < Number(schema.minItems ?? 0)) yield `${place} must not be empty.`;
      for (const [at, item] of value.entries()) {
        if (item === null) yield `${place}[${at}] must not be null.`;
        else yield* faultsOf(`${place}[${at}]`, item, items);
      }
    } else if (typeof value === 'string' && value.startsWith('[')) {
      // A frequent mistake of models.
      yield `${place} must be a list, and is the text of one.`;
    } else yield* faultsOf(place, value, items);
    return;
  }
  const isBounded = schema.minimum !== undefined || schema.maximum !== undefined;
  const fault = Array.isArray(schema.enum)
    ? wordFault(place, value, schema.enum)
    : isBounded
      ? integerFault(place, value, schema)
      : undefined;
  if (fault !== undefined) yield fault;
}

/** The types of JSON Schema in the words of `kindOf`. */
const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  boolean: 'a boolean',
  integer: 'a number',
  object: 'an object',
};

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** What is wrong with the arguments of a call, as far as the tool's JSON Schema says; empty if nothing is. */
export const faultsIn = (
  { name, properties, required, own }: ListedTool,
  given: JsonObject,
): readonly string[] => {
  const takes = Object.keys(properties);
  const missing = required.filter((argument) => !isGiven(given[argument]));
  const isUnknown = Object.entries(given).some(
    ([argument, value]) => isGiven(value) && !takes.includes(argument),
  );
  const wrong = Object.entries(properties)
    .values()
    .flatMap(([argument, schema]) => {
      const { [argument]: value } = given;
      if (!isGiven(value)) return [];
      const kind = own.includes(argument) ? kinds[String(schema.type)] : kindOf(value);
      return kind === kindOf(value)
        ? faultsOf(argument, value, schema)
        : [`${argument} must be ${kind}, got ${kindOf(value)}.`];
    });
  const faults = [
    ...(isUnknown ? [`It takes ${takes.join(', ') || 'no arguments'}, and nothing else.`] : []),
    ...(missing.length > 0 ? [`It needs ${missing.join(', ')}.`] : []),
    ...wrong.take(mostWrong),
  ];
  return faults.length === 0 ? [] : [`Wrong arguments for ${name}.`, ...faults];
};

import type { JsonObject } from './protocol.ts';

type Properties = Readonly<Record<string, JsonObject>>;

/** A tool that may be one of two operations. */
interface Combined {
  readonly name: string;
  readonly listed: JsonObject;
  readonly properties: Properties;
  readonly required: readonly string[];
  readonly narrowing: readonly string[];
}

const wordsOf = ({ items }: JsonObject): readonly unknown[] | undefined => {
  const words = Object(items).enum;
  return Array.isArray(words) ? words : undefined;
};

/** An argument as both operations together take it: each may know other words. */
const together = (one: JsonObject, other: JsonObject): JsonObject => {
  const [words, others] = [wordsOf(one), wordsOf(other)];
  if (!words || !others) return one;
  return { ...one, items: { type: 'string', enum: [...new Set([...words, ...others])] } };
};

/** Makes one tool of two: if a call gives the argument that only the second one takes, the second is meant. */
export const withVariant = <Tool extends Combined>(
  tool: Tool,
  second: Tool,
  argument: string,
): Tool => {
  const { name, required } = tool;
  const mapped = (map: (property: string, ofSecond: JsonObject) => JsonObject): Properties =>
    Object.fromEntries(
      Object.entries(second.properties).map(([property, schema]) => [
        property,
        map(property, schema),
      ]),
    );
  const narrowing = [...tool.narrowing, argument];
  const properties = mapped((property, schema) => tool.properties[property] ?? schema);
  const [first, variant] = [
    { ...tool, properties, narrowing },
    { ...second, name },
  ];
  return {
    ...first,
    variantOf: (given: JsonObject): Tool =>
      (given[argument] ?? undefined) === undefined ? first : variant,
    listed: {
      ...tool.listed,
      inputSchema: {
        type: 'object',
        properties: mapped((property, schema) => together(properties[property] ?? schema, schema)),
        ...(required.length > 0 && { required }),
        additionalProperties: false,
      },
    },
  };
};

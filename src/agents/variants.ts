import type { JsonObject } from './protocol.ts';

type Properties = Readonly<Record<string, JsonObject>>;

/** A tool that may be one of several operations. */
interface Combined {
  /** The argument that identifies the thing. */
  readonly identifier: string;
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

/** Makes one tool of several: a call means the first one whose thing it identifies, else the last one. */
export const byIdentifier = <Tool extends Combined>(
  name: string,
  tools: readonly [Tool, ...Tool[]],
): Tool => {
  const variants = tools.map((tool) => ({ ...tool, name }));
  const [first] = tools;
  const isMeant = (given: JsonObject, { identifier }: Tool): boolean =>
    (given[identifier] ?? undefined) !== undefined;
  const properties: Properties = Object.assign({}, ...tools.map((tool) => tool.properties));
  const required = first.required.filter((each) =>
    tools.every((tool) => tool.required.includes(each)),
  );
  const inputSchema = { ...Object(first.listed.inputSchema), properties, required };
  return {
    ...{ ...first, name, properties, required },
    variantOf: (given: JsonObject): Tool =>
      variants.find((tool) => isMeant(given, tool)) ?? variants.at(-1) ?? first,
    listed: { ...first.listed, name, inputSchema },
  };
};

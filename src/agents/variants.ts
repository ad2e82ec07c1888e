import type { JsonObject, ListedTool } from './protocol.ts';

/** A tool that may be one of several operations. */
interface Mergeable extends ListedTool {
  /** The argument that identifies the thing. */
  readonly identifier: string;
  readonly narrowing: readonly string[];
}

const wordsOf = ({ items }: JsonObject): readonly unknown[] => Object(items).enum ?? [];

/** An argument as several operations together take it: each may know other words. */
const together = (schemas: readonly JsonObject[]): JsonObject => {
  const words = [...new Set(schemas.flatMap(wordsOf))];
  const schema = schemas.at(-1) ?? {};
  return words.length === 0 ? schema : { ...schema, items: { type: 'string', enum: words } };
};

/** Makes one tool of several: a call means the first one whose thing it identifies, else the last one. */
export const merged = <Tool extends Mergeable>(
  name: string,
  tools: readonly Tool[],
): Tool | undefined => {
  const variants = tools.map((tool, at) => {
    // An answer about one thing is shorter.
    const identifiers = tools.slice(0, at).map(({ identifier }) => identifier);
    return { ...tool, name, narrowing: [...tool.narrowing, ...identifiers] };
  });
  const last = variants.at(-1);
  if (!last) return undefined;
  const all = tools.flatMap(({ properties }) => Object.entries(properties));
  const properties = [...Map.groupBy(all, ([argument]) => argument)].map(
    ([argument, each]) => [argument, together(each.map(([, schema]) => schema))] as const,
  );
  const isMeant = (given: JsonObject, { identifier }: Tool): boolean =>
    (given[identifier] ?? undefined) !== undefined;
  return {
    ...last,
    description: tools.map(({ description }) => description).find(Boolean) ?? '',
    properties: Object.fromEntries(properties),
    required: last.required.filter((each) =>
      tools.every(({ required }) => required.includes(each)),
    ),
    variantOf: (given: JsonObject): Tool => variants.find((tool) => isMeant(given, tool)) ?? last,
  };
};

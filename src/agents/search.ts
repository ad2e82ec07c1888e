import {
  type GraphQLArgument,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isScalarType,
} from 'graphql';
import { failure } from './answers.ts';
import { type Entry, type OpenSchema, openIn } from './open-schema.ts';
import { SchemaPart } from './schema-part.ts';
import { cut } from './text.ts';
import type { LocalTool } from './tools.ts';

/** The most characters of a search's words, and of its answer. */
const longestWords = 200;
const longestAnswer = 3000;

/** The most fields that an answer is about, and the least that each scores, as a part of the best one's score. */
const mostFields = 14;
const leastShare = 0.35;

/** What several forms of a word have in common: `tag` of `tags` and `tagged`, `expir` of `expires` and `expiring`. */
const stemOf = (word: string): string => {
  const [, stem = word] = /^(.{3,}?)(?:(?<=s|x|ch|sh)es|(?<![sui])s)?$/.exec(word) ?? [];
  const [, verb = stem] = /^(.{3,}?)(?:ed|ing|e)?$/.exec(stem) ?? [];
  return verb.replace(/([bdgmnprt])\1$/, '$1').replace(/(?:ie|y)$/, 'i');
};

/** The stems of the words of names and sentences. */
const stemsIn = (text: string): readonly string[] =>
  (
    text
      .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  ).map(stemOf);

const ignored: ReadonlySet<string> = new Set(
  stemsIn(
    'a all an and any are at by can did do does each every find for from get give given had has have how i in is it its list many me much my of on or our per read show than that the their them there this to was we were what when where which whom whose with you',
  ),
);

/** Words of who asks for an order. */
const ordering: ReadonlySet<string> = new Set(
  stemsIn('first last latest newest oldest order ordered sort sorted'),
);

/** What a word counts, by where it stands. */
const weights = { field: 6, type: 4, target: 3, argument: 2, description: 1 } as const;

const valuesOf = (type: GraphQLNamedType): string =>
  isEnumType(type)
    ? type
        .getValues()
        .map(({ name }) => name)
        .join(' ')
    : '';

/** An argument, its members, and their values. */
const textOf = ({ name, type }: GraphQLArgument): string => {
  const named = getNamedType(type);
  const members = isInputObjectType(named) ? Object.values(named.getFields()) : [];
  const texts = members.map((member) => `${member.name} ${valuesOf(getNamedType(member.type))}`);
  return [name, valuesOf(named), ...texts].join(' ');
};

/** What each word counts for a field: the last and highest weight. */
const weightsOf = ({ type, field, args }: Entry): ReadonlyMap<string, number> => {
  const target = getNamedType(field.type);
  const texts = {
    description: field.description ?? '',
    argument: args.map(textOf).join(' '),
    target: isScalarType(target) ? '' : `${target.name} ${valuesOf(target)}`,
    type: type.name,
    field: field.name,
  };
  const places = ['description', 'argument', 'target', 'type', 'field'] as const;
  return new Map(
    places.flatMap((place) => stemsIn(texts[place]).map((word) => [word, weights[place]])),
  );
};

/** What a word counts that only begins like another one, and how long a beginning has to be. */
const beginningShare = 0.6;
const shortestBeginning = 4;

const beginAlike = (one: string, other: string): boolean =>
  Math.min(one.length, other.length) >= shortestBeginning &&
  (one.startsWith(other) || other.startsWith(one));

/** Finds fields by words, the best first. */
const createFinder = (entries: readonly Entry[]) => {
  const places = new Map<string, Map<Entry, number>>();
  for (const entry of entries) {
    for (const [word, weight] of weightsOf(entry)) {
      places.set(word, (places.get(word) ?? new Map<Entry, number>()).set(entry, weight));
    }
  }
  const alike = (word: string): ReadonlyMap<Entry, number> => {
    const found = new Map<Entry, number>();
    for (const [other, weighed] of places) {
      if (!beginAlike(word, other)) continue;
      for (const [entry, weight] of weighed) {
        found.set(entry, Math.max(found.get(entry) ?? 0, weight * beginningShare));
      }
    }
    return found;
  };
  return (words: ReadonlySet<string>): readonly Entry[] => {
    const scores = new Map<Entry, number>();
    for (const word of words) {
      const found = places.get(word) ?? alike(word);
      const rarity = Math.log(1 + entries.length / (1 + found.size));
      for (const [entry, weight] of found) {
        scores.set(entry, (scores.get(entry) ?? 0) + weight * rarity);
      }
    }
    const ranked = [...scores].sort(([, one], [, other]) => other - one);
    const [[, best] = [undefined, 0]] = ranked;
    return ranked.filter(([, score]) => score >= best * leastShare).map(([entry]) => entry);
  };
};

const fits = (part: SchemaPart): boolean => String(part).length <= longestAnswer;

/** The schema's part about a type, with all that fits. */
const partOf = (open: OpenSchema, type: GraphQLNamedType): string => {
  const parts = [{ isDescribed: true, isWhole: true }, { isWhole: true }, {}].map((details) => {
    const part = new SchemaPart(open, true);
    part.addType(type, details);
    return part;
  });
  return cut(String(parts.find(fits) ?? parts.at(-1)), longestAnswer);
};

/** The schema's part with as many of the fields as fit. */
const partWith = (open: OpenSchema, entries: readonly Entry[], withOrder: boolean): string => {
  let picked: readonly Entry[] = [];
  let part = new SchemaPart(open, withOrder);
  for (const entry of entries.slice(0, mostFields)) {
    const longer = new SchemaPart(open, withOrder);
    for (const each of [...picked, entry]) longer.add(each);
    if (!fits(longer)) continue;
    picked = [...picked, entry];
    part = longer;
  }
  return String(part);
};

/** The most fields that an answer names although agents may not read them. */
const mostClosed = 3;

/** What says of the fields whose names consist of these words that agents may not read them. */
const closedWith = (words: ReadonlySet<string>, closed: ReadonlyMap<string, string>): string =>
  [...closed]
    .filter(([coordinate]) => /^\w+\.\w+$/.test(coordinate))
    .filter(([coordinate]) =>
      stemsIn(coordinate.split('.')[1] ?? '').every((each) => words.has(each)),
    )
    .slice(0, mostClosed)
    .map(([coordinate, what]) => `# ${coordinate} is ${what}, which agents may not read.\n`)
    .join('');

const createSearch = (
  schema: GraphQLSchema,
  open: OpenSchema,
  closed: ReadonlyMap<string, string>,
) => {
  const find = createFinder(open.entries);
  return (text: string): string => {
    const type = open.typeNamed(text.trim());
    if (type) return partOf(open, type);
    const words = new Set(stemsIn(text));
    const withOrder = !ordering.isDisjointFrom(words);
    const asked = words.difference(ignored);
    const found = partWith(open, find(asked), withOrder);
    const told = closedWith(asked, closed);
    if (found !== '') return told + found;
    const roots = new SchemaPart(open, false);
    const query = schema.getQueryType();
    if (query) roots.addType(query);
    return `${told}# No name and no description has these words. Try others, or the name of a type.\n${roots}`;
  };
};

const properties = {
  words: {
    type: 'string',
    description: 'What you look for, such as "failed backups", or the name of a type.',
  },
};

/**
 * @param closed what agents may not read, by coordinates, and what it is
 * @param missing the coordinates of what does not work
 */
export const searchTool = (
  schema: GraphQLSchema,
  closed: ReadonlyMap<string, string>,
  missing: readonly string[],
): LocalTool => {
  const name = 'search_schema';
  let search: ReturnType<typeof createSearch> | undefined;
  return {
    ...{ kind: 'local', name, properties, required: ['words'], types: { words: 'a text' } },
    listed: {
      name,
      description:
        'Finds what query can select: fields with arguments, types, values, and the way to them from Query, as a part of the GraphQL schema. Reads no data.',
      inputSchema: {
        type: 'object',
        properties,
        required: ['words'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true },
    },
    answer: ({ words }) => {
      const asked = String(words);
      if (asked.length > longestWords) {
        return failure(
          `BAD_USER_INPUT: words may have at most ${longestWords} characters, got ${asked.length}.`,
        );
      }
      search ??= createSearch(
        schema,
        openIn(schema, new Set([...closed.keys(), ...missing])),
        closed,
      );
      return { content: [{ type: 'text', text: search(asked) }] };
    },
  };
};

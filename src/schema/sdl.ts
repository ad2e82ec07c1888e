import {
  buildASTSchema,
  type DefinitionNode,
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  lexicographicSortSchema,
  parse,
  printSchema,
  visit,
} from 'graphql';
import { operationFacts } from '../upstream/operation-facts.ts';
import { unavailableFieldsOf } from './unavailable.ts';

/** The whole schema, as schema.graphql has it. */
export const sdlOf = (schema: GraphQLSchema): string =>
  `${printSchema(lexicographicSortSchema(schema))}\n`;

/** The names of the types that a definition leads to. An object comes from a field, never by an interface alone. */
const leadsTo = (definition: DefinitionNode): readonly string[] => {
  const names: string[] = [];
  visit(
    { ...definition, interfaces: [] },
    {
      NamedType: ({ name }) => {
        names.push(name.value);
      },
    },
  );
  return names;
};

/** Without the types that neither the roots nor a directive lead to. */
const reachable = ({ definitions }: DocumentNode): readonly DefinitionNode[] => {
  const nameOf = (each: DefinitionNode): string | undefined =>
    'name' in each ? each.name?.value : undefined;
  const kept = new Set(
    definitions.filter(
      ({ kind }) => kind === Kind.SCHEMA_DEFINITION || kind === Kind.DIRECTIVE_DEFINITION,
    ),
  );
  // The loop also comes to what it adds.
  for (const each of kept) {
    const names = leadsTo(each);
    for (const other of definitions) if (names.includes(nameOf(other) ?? '')) kept.add(other);
  }
  return definitions.filter((each) => kept.has(each));
};

/** The schema without the fields that are not there with these profiles, and without the types that only such fields lead to. */
export const sdlWith = (schema: GraphQLSchema, profiles: readonly string[]): string => {
  const lacks = (needed: readonly string[]): boolean =>
    needed.length > 0 && !needed.some((name) => profiles.includes(name));
  const operations = [...operationFacts.values()].filter((each) => lacks(each.profiles));
  const names = new Set(operations.map(({ name }) => name));
  const missing = new Set(unavailableFieldsOf(schema, names, profiles, true));
  const offered = visit(parse(sdlOf(schema)), {
    ObjectTypeDefinition: (type) => ({
      ...type,
      fields: type.fields?.filter(({ name }) => !missing.has(`${type.name.value}.${name.value}`)),
    }),
  });
  return sdlOf(buildASTSchema({ ...offered, definitions: reachable(offered) }));
};

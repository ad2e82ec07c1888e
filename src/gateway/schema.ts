import { readdirSync, readFileSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import {
  type ASTNode,
  buildASTSchema,
  type DefinitionNode,
  type DocumentNode,
  type GraphQLError,
  type GraphQLOutputType,
  GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isIntrospectionType,
  isListType,
  isObjectType,
  Kind,
  KnownArgumentNamesRule,
  KnownDirectivesRule,
  ProvidedRequiredArgumentsRule,
  parse,
  Source,
  UniqueArgumentNamesRule,
  ValuesOfCorrectTypeRule,
  validate,
} from 'graphql';
import { isObject } from '../is-object.ts';
import { inPartsToo } from '../request/context.ts';
import { resolvers } from '../resolvers/index.ts';
import { checkDirectives } from '../schema/checks.ts';
import { directiveNames, SchemaError } from '../schema/reads.ts';
import { scalars } from '../schema/scalars.ts';

const folder = new URL('../../schema/', import.meta.url);

/**
 * The SDL of schema/. Extensions come last: the order of types and fields must not depend on the names of files that extend
 * them, since the aliases of generated operations follow this order.
 */
const readTypeDefs = (): DocumentNode => {
  const definitions = readdirSync(folder)
    .filter((name) => name.endsWith('.graphql'))
    .sort()
    .flatMap((name) => {
      const text = readFileSync(new URL(name, folder), 'utf8');
      return parse(new Source(text, `schema/${name}`)).definitions;
    });
  const isLater = ({ kind }: DefinitionNode): boolean => kind.endsWith('Extension');
  return {
    kind: Kind.DOCUMENT,
    definitions: [...definitions.filter((each) => !isLater(each)), ...definitions.filter(isLater)],
  };
};

/** Whether a value has objects where the type needs them. The executor checks null and errors. */
const fits = (value: unknown, type: GraphQLOutputType): boolean => {
  if (value === null || value === undefined || value instanceof Error) return true;
  const nullable = getNullableType(type);
  if (!isListType(nullable)) return !isCompositeType(nullable) || isObject(value);
  return Array.isArray(value) && value.every((item) => fits(item, nullable.ofType));
};

/**
 * Makes each field that has an object type and no resolver refuse other values. An executor takes any value for an
 * object: with a text, every field below would be null, without an error.
 */
const requireObjects = (schema: GraphQLSchema): GraphQLSchema => {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      if (field.resolve || !isCompositeType(getNamedType(field.type))) continue;
      field.resolve = (parent: Readonly<Record<string, unknown>>) => {
        const value = parent[field.name];
        if (fits(value, field.type)) return value;
        throw new TypeError(`Expected value of type "${field.type}"`);
      };
    }
  }
  return schema;
};

/**
 * Gives each field of `Subscription` the resolver of the field of `Query` with its name: `src/live/` executes the whole
 * operation for each event.
 */
const resolveLive = (schema: GraphQLSchema): GraphQLSchema => {
  const queries = schema.getQueryType()?.getFields();
  for (const field of Object.values(schema.getSubscriptionType()?.getFields() ?? {})) {
    const resolve = queries?.[field.name]?.resolve;
    if (resolve) field.resolve = resolve;
  }
  return schema;
};

/** Gives each resolver the context of its field; see `inPartsToo`. */
const giveContexts = (schema: GraphQLSchema): GraphQLSchema => {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      if (field.resolve) field.resolve = inPartsToo(field.resolve);
    }
  }
  return schema;
};

/** Without the definitions of the directives that say what is read: clients do not see what they mark. */
const withoutMarks = (schema: GraphQLSchema): GraphQLSchema => {
  const config = schema.toConfig();
  const directives = config.directives.filter(({ name }) => !directiveNames.includes(name));
  return new GraphQLSchema({ ...config, directives });
};

/** The rules of GraphQL that concern directives and their arguments. */
const directiveRules = [
  KnownDirectivesRule,
  KnownArgumentNamesRule,
  UniqueArgumentNamesRule,
  ProvidedRequiredArgumentsRule,
  ValuesOfCorrectTypeRule,
];

/**
 * Throws the first wrong use of a directive. `makeExecutableSchema` finds most of them too, but not their place, and does not
 * check the types of arguments.
 */
const checkUses = (typeDefs: DocumentNode): void => {
  const [error] = validate(
    buildASTSchema(typeDefs, { assumeValidSDL: true }),
    typeDefs,
    directiveRules,
  );
  if (error) throw error;
};

/** The type or field whose definition contains an error, if the error has a place. */
const ownerOf = (
  { definitions }: DocumentNode,
  { source, positions }: Partial<GraphQLError>,
): string => {
  const [at = -1] = positions ?? [];
  const has = ({ loc }: ASTNode): boolean =>
    loc !== undefined && loc.source === source && loc.start <= at && at < loc.end;
  const owner = definitions.find(has);
  const name = owner && 'name' in owner ? owner.name?.value : undefined;
  if (name === undefined) return '';
  const field = owner && 'fields' in owner ? owner.fields?.find(has)?.name.value : undefined;
  return field === undefined ? `${name} in ` : `${name}.${field} in `;
};

/** @throws SchemaError with the first fault that graphql-js or the tools find: a misspelt directive, a resolver without a field */
const executable = (): GraphQLSchema => {
  let typeDefs: DocumentNode = { kind: Kind.DOCUMENT, definitions: [] };
  try {
    typeDefs = readTypeDefs();
    checkUses(typeDefs);
    return makeExecutableSchema({
      typeDefs,
      resolvers: { ...scalars, ...resolvers },
      resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
    });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { source, locations }: Partial<GraphQLError> = error;
    const place = source
      ? `${ownerOf(typeDefs, error)}${source.name}:${locations?.[0]?.line}`
      : 'schema/';
    throw new SchemaError(`${place} is not valid: ${error.message.split('\n')[0]}`, {
      cause: error,
    });
  }
};

/** Builds the executable schema. Throws for a resolver that the SDL does not have, and for a directive that is wrong. */
export const createSchema = (): GraphQLSchema => {
  const schema = withoutMarks(giveContexts(requireObjects(resolveLive(executable()))));
  checkDirectives(schema);
  return schema;
};

import { readdirSync, readFileSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { type GraphQLSchema, isObjectType } from 'graphql';
import { requireObjects } from './objects.ts';
import { resolvers } from './resolvers/index.ts';

const folder = new URL('../schema/', import.meta.url);

/** The SDL, file by file, as it stands in schema/. */
const readTypeDefs = (): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.graphql'))
    .sort()
    .map((name) => readFileSync(new URL(name, folder), 'utf8'));

/**
 * Puts each resolver in its place as it was written. graphql-tools binds them, which makes other functions of
 * them: without their marks (`ofParent`), and slower to call.
 */
const withOwnResolvers = (schema: GraphQLSchema): GraphQLSchema => {
  for (const [typeName, fields] of Object.entries(resolvers)) {
    const type = schema.getType(typeName);
    if (!isObjectType(type)) continue;
    const definitions = type.getFields();
    for (const [name, resolve] of Object.entries(fields)) {
      const definition = definitions[name];
      if (definition && typeof resolve === 'function') definition.resolve = resolve;
    }
  }
  return schema;
};

/** SDL and resolvers → the executable schema. A resolver that the SDL does not know is an error. */
export const createSchema = (): GraphQLSchema =>
  requireObjects(
    withOwnResolvers(
      makeExecutableSchema({
        typeDefs: readTypeDefs(),
        resolvers,
        resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
      }),
    ),
  );

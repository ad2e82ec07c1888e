import { readdirSync, readFileSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import type { GraphQLSchema } from 'graphql';
import { requireObjects } from './objects.ts';
import { resolvers } from './resolvers/index.ts';

const folder = new URL('../schema/', import.meta.url);

/** The SDL, file by file, as it stands in schema/. */
const readTypeDefs = (): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.graphql'))
    .sort()
    .map((name) => readFileSync(new URL(name, folder), 'utf8'));

/** SDL and resolvers → the executable schema. A resolver that the SDL does not know is an error. */
export const createSchema = (): GraphQLSchema =>
  requireObjects(
    makeExecutableSchema({
      typeDefs: readTypeDefs(),
      resolvers,
      resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
    }),
  );

import { readdirSync, readFileSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import type { GraphQLSchema } from 'graphql';
import { resolvers } from '../resolvers/index.ts';
import { requireObjects } from './objects.ts';
import { scalars } from './scalars.ts';

const folder = new URL('../../schema/', import.meta.url);

/** The SDL, file by file, as it stands in schema/. */
const readTypeDefs = (): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.graphql'))
    .sort()
    .map((name) => readFileSync(new URL(name, folder), 'utf8'));

/** Builds the executable schema. A resolver that the SDL does not know is an error. */
export const createSchema = (): GraphQLSchema =>
  requireObjects(
    makeExecutableSchema({
      typeDefs: readTypeDefs(),
      resolvers: { ...scalars, ...resolvers },
      resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
    }),
  );

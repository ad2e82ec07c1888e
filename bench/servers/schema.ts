import { readdirSync, readFileSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import type { GraphQLSchema } from 'graphql';
import type { Reads } from './reads.ts';
import { resolvers } from './resolvers.ts';

const folder = new URL('../../schema/', import.meta.url);

/** The gateway's own SDL with the peers' resolvers. */
export const createSchema = (): GraphQLSchema =>
  makeExecutableSchema<{ readonly reads: Reads }>({
    typeDefs: readdirSync(folder)
      .filter((name) => name.endsWith('.graphql'))
      .sort()
      .map((name) => readFileSync(new URL(name, folder), 'utf8')),
    resolvers,
  });

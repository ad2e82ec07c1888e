import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // One copy of graphql, or `instanceof GraphQLError` fails in tests only.
    server: { deps: { inline: [/graphql/] } },
  },
});

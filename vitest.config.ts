import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/browser/path.ts'],
    // No test is about time: this only ends one that hangs, on however slow a machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    // One copy of graphql, or `instanceof GraphQLError` fails in tests only.
    // GraphiQL's bundle has none in it, and is too large to transform.
    server: { deps: { inline: [/graphql/], external: [/render-graphiql/] } },
  },
});

import { defineConfig } from 'vitest/config';

/** Files that put a simulated upstream or a simulated time in place of a module. */
const mocking = [
  'test/upstream/cache-*.test.ts',
  'test/memory/read-your-writes.test.ts',
  'test/graphiql/loading.test.ts',
];
const full = ['test/full/**/*.test.ts'];
const fast = { name: 'fast', include: ['test/**/*.test.ts'], exclude: [...full, ...mocking] };

export default defineConfig({
  test: {
    // By default one of two cores would be left free, though most tests wait for most of their time.
    maxWorkers: 3,
    globalSetup: ['test/support/browser/path.ts'],
    // No test is about time: this only ends one that hangs, on however slow a machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    // One copy of graphql, or `instanceof GraphQLError` fails in tests only.
    // GraphiQL's bundle has none in it, and is too large to transform.
    server: { deps: { inline: [/graphql/], external: [/render-graphiql/] } },
    projects: [
      // Loading the gateway anew for each file would take as long as the tests themselves.
      { extends: true, test: { ...fast, isolate: false } },
      { extends: true, test: { name: 'mocking', include: mocking } },
      { extends: true, test: { name: 'full', include: full } },
    ],
  },
});

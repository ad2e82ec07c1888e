import { defineConfig } from 'vitest/config';

const full = ['test/full/**/*.test.ts'];
/** These show what is kept always: one failure in many runs is a failure, so that none is run again. */
const exact = ['test/full/long/**/*.test.ts', 'test/full/replicas/**/*.test.ts'];
/** These do a few of their runs in `npm test`, and all of them in the full run. */
const long = ['test/**/*.long.test.ts'];
/** These put something else in place of a module, so that none may have been loaded before. */
const mocking = [
  'test/live/filling.test.ts',
  'test/live/wakes.long.test.ts',
  'test/upstream/reads-*.test.ts',
  'test/memory/read-your-writes.long.test.ts',
  'test/redis/read-your-writes.long.test.ts',
  'test/graphiql/loading.test.ts',
];

const { FUZZ_RUNS = '1000', TEST_RETRIES = '0' } = process.env;

export default defineConfig({
  // graphql 17 has several entries, of which Vite and the libraries would take different ones.
  resolve: {
    alias: [
      { find: /^graphql$/, replacement: `${import.meta.dirname}/node_modules/graphql/index.mjs` },
    ],
  },
  test: {
    // Most tests wait for most of their time; the default would be one worker on two cores.
    maxWorkers: 3,
    pool: 'threads',
    // No test is about time: this only ends one that hangs, on however slow a machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Set by .ci/run alone: whoever works on a test is to see each of its failures.
    retry: Number(TEST_RETRIES),
    expect: { poll: { timeout: 30_000 } },
    // One copy of graphql, or `instanceof GraphQLError` fails in tests only.
    // GraphiQL's bundle has none in it, and is too large to transform.
    server: { deps: { inline: [/graphql/], external: [/render-graphiql/] } },
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [...full, ...mocking],
          globalSetup: ['test/support/redis/path.ts'],
          setupFiles: ['test/support/undici-timer.ts'],
          // Loading the gateway anew for each file would take as long as the tests themselves.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'mocking', include: mocking } },
      {
        extends: true,
        test: {
          name: 'full',
          include: full,
          exclude: exact,
          globalSetup: ['test/support/programs.ts', 'test/support/redis/path.ts'],
          testTimeout: 600_000,
          env: { FUZZ_RUNS },
        },
      },
      {
        extends: true,
        test: {
          name: 'exact',
          include: exact,
          globalSetup: ['test/support/redis/path.ts', 'test/full/replicas/last-release.ts'],
          retry: 0,
          testTimeout: 600_000,
          env: { FUZZ_RUNS },
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: long,
          retry: 0,
          testTimeout: 600_000,
          env: { FUZZ_RUNS },
        },
      },
    ],
  },
});

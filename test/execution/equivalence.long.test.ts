import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { parse, validate } from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type NaiveAnswer, naiveSchema, runNaively } from '../support/execution/naive.ts';
import { type Stack, startStack, wide } from '../support/harness.ts';
import { randomOperation } from '../support/random/operation.ts';
import { runsOf, seed } from '../support/random/runs.ts';
import { randomWorld } from '../support/random/world.ts';
import { type Backend, createBackend } from '../support/world/backend.ts';

const parameters = { numRuns: runsOf(50), seed };

const sorted = (errors: NaiveAnswer['errors']): readonly string[] =>
  errors.map(({ path, code }) => `${path} ${code}`).sort();

/** `/v1/organizations`, `…/services`, `…/pipes`, `/api/v2/dashboards`, `/api/v2/alerts` of a single read. */
const collectionOf = (path: string): string | undefined =>
  /^(.*\/(?:organizations|services|pipes|dashboards|alerts))\/[^/]+$/.exec(path)?.[1];

/**
 * The most calls that the gateway may make, from what a naive run read. Relations start together with
 * the read of the thing that they belong to; where there is no such thing they were in vain, and were
 * calls all the same. So the run to compare with is one that goes on below what is missing, as if it
 * had identifiers and nothing else; where nothing is missing, that is the plain naive run.
 *
 * - Each different read once: equal reads are one call, and a list in place of single reads is less.
 * - One more for each collection in which several identifiers were asked for and at least one of them
 *   is of nothing: the list that came in place of the single reads lacks it, and a list may be cut, so
 *   it is asked for singly too.
 */
const mostCalls = (reads: NaiveAnswer['reads']): number => {
  const distinct = new Map(reads.map(({ path, status }) => [path, status]));
  const collections = Map.groupBy(distinct, ([path]) => collectionOf(path));
  const listedInVain = [...collections].filter(
    ([name, asked]) =>
      name !== undefined && asked.length > 1 && asked.some(([, status]) => status === 404),
  );
  return distinct.size + listedInVain.length;
};

let stack: Stack;
let backend: Backend;
const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);

beforeAll(async () => {
  stack = await startStack({
    config: wide,
    management: (call) => backend.management(call),
    observability: (call) => backend.observability(call),
  });
  process.on('unhandledRejection', note);
});
afterAll(async () => {
  process.off('unhandledRejection', note);
  await stack.close();
});

it('answers any query as an executor does that fetches each thing singly, with no more calls than the bound above', async () => {
  await fc.assert(
    fc.asyncProperty(randomWorld, fc.gen(), async (world, gen) => {
      const operation = randomOperation(gen, naiveSchema);
      const { document, variables } = operation;
      expect(validate(naiveSchema, parse(document)), document).toEqual([]);
      backend = createBackend(world);
      stack.calls.length = 0;
      const requestId = randomUUID();

      const { body } = await stack.query(document, {
        variables,
        // Credentials of its own: a read that a run has begun in vain is finished, and would answer the next run.
        headers: {
          'x-request-id': requestId,
          'management-authorization': `Basic ${btoa(requestId)}`,
          'observability-authorization': `Bearer ${requestId}`,
        },
      });
      const naive = await runNaively(backend, operation, 'error');

      const context = `${document}\nvariables ${JSON.stringify(variables)}`;
      expect(body.data, context).toEqual(naive.data);
      const errors = (body.errors ?? []).map(
        ({ path, extensions }: { path?: unknown[]; extensions: { code: string } }) => ({
          path: path?.join('.') ?? '',
          code: extensions.code,
        }),
      );
      expect(sorted(errors), context).toEqual(sorted(naive.errors));

      // Calls that were started for a thing that turned out not to exist may outlast the answer: those of
      // the run before are told apart by the request's id, and those of this run are waited for.
      await pause(2);
      const calls = stack.calls
        .filter(({ headers }) => headers['x-request-id'] === requestId)
        .map(({ path }) => path);
      expect(new Set(calls).size, `equal reads\n${context}`).toBe(calls.length);
      const { reads } = await runNaively(backend, operation, 'handle');
      const most = mostCalls(reads);
      expect(calls.length, `${calls.join('\n')}\n${context}`).toBeLessThanOrEqual(most);
      expect(unhandled, context).toEqual([]);
    }),
    parameters,
  );
}, 600_000);

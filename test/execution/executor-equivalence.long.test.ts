import { setImmediate as drained } from 'node:timers/promises';
import fc, { type GeneratorValue } from 'fast-check';
import {
  type DocumentNode,
  execute,
  type GraphQLSchema,
  getOperationAST,
  OperationTypeNode,
  parse,
  validate,
} from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createExecutor, type Execute } from '../../src/execution/executor.ts';
import {
  expectCallsAgree,
  expectErrorsAgree,
  expectSame,
  isPropagated,
  type Outcome,
  outcomeOf,
} from '../support/execution/compare.ts';
import { type Request, randomDocument } from '../support/execution/operation.ts';
import { type Context, lenientSchema, schema } from '../support/execution/schema.ts';
import type { World } from '../support/execution/world.ts';
import { runsOf, seed } from '../support/random/runs.ts';

const runs = runsOf(200);
// Making a counterexample smaller takes minutes.
const parameters = { seed, endOnFailure: true };

const executor = createExecutor(schema);
const reference =
  (referenceSchema: GraphQLSchema): Execute =>
  async (execution) =>
    execute({ schema: referenceSchema, ...execution });

// graphql-js leaves rejections unhandled behind a failing list item; only the executor's are counted.
let leaked: unknown[] = [];
const note = (reason: unknown) => leaked.push(reason);
const others = process.listeners('unhandledRejection');
const { stackTraceLimit } = Error;
beforeAll(() => {
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', note);
  // Stacks take most of the time of a run with errors.
  Error.stackTraceLimit = 0;
});
afterAll(() => {
  process.off('unhandledRejection', note);
  for (const listener of others) process.on('unhandledRejection', listener);
  Error.stackTraceLimit = stackTraceLimit;
});

const run = async (
  executeOnce: Execute,
  world: World,
  document: DocumentNode,
  request: Request,
): Promise<Outcome> => {
  const contextValue: Context = { world, calls: [] };
  const result = await executeOnce({ document, ...request, contextValue });
  const outcome = outcomeOf(result, contextValue.calls);
  // What goes on below a nulled position outlasts the answer.
  if (world.late > 0) await drained();
  expectSame(result.errors?.length ?? 0, outcome.errors.length, 'no late errors');
  return outcome;
};

const isQuery = (document: DocumentNode): boolean =>
  getOperationAST(document)?.operation === OperationTypeNode.QUERY;

/** The response keys at the root, in the order in which resolvers were called at or below them. */
const rootOrder = ({ calls }: Outcome): readonly string[] =>
  calls
    .map((call) => call.split(/[/ ]/)[1] ?? '')
    .filter((key, index, keys) => key !== keys[index - 1]);

const compare = async (
  world: World,
  document: DocumentNode,
  request: Request,
  expected: Outcome,
): Promise<void> => {
  leaked = [];
  const actual = await run(executor, world, document, request);
  expectSame(leaked, [], 'unhandled rejections');
  expectSame(actual.data, expected.data, 'data');
  if (world.late > 0) {
    await expectErrorsAgree(actual, expected, () =>
      run(reference(lenientSchema), world, document, request),
    );
    expectCallsAgree(actual, expected);
  } else {
    expectSame(actual.errors, expected.errors, 'errors');
    expectSame(actual.calls, expected.calls, 'calls');
  }
  if (!isQuery(document) && expected.errors.length === 0) {
    expectSame(rootOrder(actual), rootOrder(expected), 'serial order');
  }
};

/** What the random documents and worlds have to have, or the comparison would be an empty one. */
const seen = { data: 0, partial: 0, nothing: 0, propagated: 0, serial: 0, conditions: 0 };
const count = (text: string, { result: { data, errors = [] } }: Outcome): void => {
  seen.data += Number(errors.length === 0);
  seen.partial += Number(Boolean(data) && errors.length > 0);
  seen.nothing += Number(data === null);
  seen.propagated += Number(Boolean(data) && errors.some((error) => isPropagated(error, data)));
  seen.serial += Number(/^mutation/m.test(text));
  seen.conditions += Number(/\(if: \$/.test(text));
};
let documents = 0;

const property = async (world: World, gen: GeneratorValue): Promise<void> => {
  const random = randomDocument(gen);
  const document = parse(random.text);
  documents += 1;
  // Validation takes longer than all else; that the documents are valid shows in some of them.
  if (documents % 8 === 0) expect(validate(schema, document), random.text).toEqual([]);
  const outcomes: Outcome[] = [];
  const check = async (request: Request, known?: Outcome): Promise<void> => {
    const expected = known ?? (await run(reference(schema), world, document, request));
    try {
      await compare(world, document, request, expected);
    } catch (error) {
      const facts = JSON.stringify({ request, number: outcomes.length, world });
      const message = error instanceof Error ? error.message : String(error);
      throw new Error(`${message}\n${random.text}\n${facts}`, { cause: error });
    }
    outcomes.push(expected);
  };
  // The first of a document makes a plan; the others, and the first once more, may find it made.
  for (const request of random.requests) await check(request);
  await check(random.requests[0], outcomes[0]);
  for (const outcome of outcomes) count(random.text, outcome);
};

const world = (...late: readonly number[]): fc.Arbitrary<World> =>
  fc.record({
    seed: fc.nat(),
    late: fc.constantFrom(...late),
    isShared: fc.boolean(),
    trouble: fc.constantFrom(0, 5, 20, 60, 150),
  });

it('gives what graphql-js gives, and in its order, where all resolvers are synchronous', async () => {
  const numRuns = Math.ceil(runs * 0.4);
  await fc.assert(fc.asyncProperty(world(0), fc.gen(), property), { ...parameters, numRuns });
}, 600_000);

it('gives what graphql-js gives where resolvers settle in any order', async () => {
  const numRuns = Math.ceil(runs * 0.6);
  await fc.assert(fc.asyncProperty(world(10, 50), fc.gen(), property), { ...parameters, numRuns });
}, 600_000);

it('met everything often enough', () => {
  expect(documents).toBeGreaterThanOrEqual(runs);
  for (const [what, times] of Object.entries(seen))
    expect(times, what).toBeGreaterThan(documents / 20);
});

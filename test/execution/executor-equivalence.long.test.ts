import { setImmediate as drained } from 'node:timers/promises';
import fc, { type GeneratorValue } from 'fast-check';
import { execute, type GraphQLError, parse, validate } from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createExecutor, type Execute } from '../../src/execution/executor.ts';
import { holdTime } from '../support/pacing/time.ts';
import { randomOperation } from '../support/random/operation.ts';
import { runsOf, seed } from '../support/random/runs.ts';
import { expectSame, type Outcome, outcomeOf } from './compare.ts';
import { type Context, oddSchema as schema, type World } from './odd-schema.ts';

const runs = runsOf(150);
const executor = createExecutor(schema);
const reference: Execute = (execution) => execute({ schema, ...execution });

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

/** The position that an error made null: its own, or an ancestor by propagation. */
const nulledBy = ({ path = [] }: GraphQLError, data: unknown): string => {
  let value = data;
  const length = path.findIndex((key) => {
    if (value === null) return true;
    value = Reflect.get(value as object, key);
    return false;
  });
  if (length === -1 && data !== undefined) expectSame(value, null, `what is at ${path.join('.')}`);
  return path.slice(0, length === -1 ? path.length : length).join('.');
};

/**
 * What does not depend on the order in which promises settle: the errors at places that are null themselves, and the places
 * that are null because of an error below. Once such a place is null, further errors below it are dropped.
 */
const inAnyOrder = ({ result: { data, errors = [] }, errors: texts }: Outcome) => {
  const places = errors.map((error) => nulledBy(error, data));
  const isFar = (index: number) => places[index] !== errors[index]?.path?.join('.');
  return {
    near: texts.filter((_, index) => !isFar(index)).sort(),
    far: [...new Set(places.filter((_, index) => isFar(index)))].sort(),
  };
};

/** The response keys at the root, in the order in which resolvers were called at or below them. */
const rootOrder = ({ calls }: Outcome): readonly string[] =>
  calls
    .map((call) => call.split(/[/ ]/)[1] ?? '')
    .filter((key, index, keys) => key !== keys[index - 1]);

/** What the random documents and worlds have to have, or the comparison would be an empty one. */
const seen = { data: 0, partial: 0, nothing: 0, propagated: 0, serial: 0, conditions: 0 };
let documents = 0;

const property = async (world: World, kind: string, gen: GeneratorValue): Promise<void> => {
  const { document: query, variables } = randomOperation(gen, { schema, isOdd: true });
  // Of a condition that is null and an `isTypeOf` that throws, graphql-js reports the first, and the executor the second.
  // Of a fragment that is spread twice, graphql 17 looks at the second one's conditions too, and 16 does not.
  const ofSpreads = query.match(/\.\.\.\w+( @\w+\(if: [^)]*\))+/g)?.join(' ') ?? '';
  const given = Object.entries(variables).filter(
    ([name, value]) => value !== null || !(world.trouble || ofSpreads.includes(`$${name})`)),
  );
  const about = '__type(name: "Query") { fields { args { defaultValue } type { kind } } }';
  const mutates = kind === 'mutation';
  const texts: Readonly<Record<string, () => string>> = {
    query: () => query,
    about: () => query.replace(/^query \w+(?:\([^)]*\))? \{/, (start) => `${start} ${about}`),
    mutation: () => query.replace('query', 'mutation').replaceAll('on Query', 'on Mutation'),
  };
  const text = texts[kind]?.() ?? query;
  const document = parse(text);
  documents += 1;
  // Validation takes longer than all else; that the documents are valid shows in some of them.
  if (documents % 8 === 0) expect(validate(schema, document), text).toEqual([]);

  const run = async (executeOnce: Execute, variableValues: object): Promise<Outcome> => {
    const contextValue: Context = { world, calls: [] };
    const result = await executeOnce({
      document,
      variableValues: { ...variableValues },
      contextValue,
    });
    const outcome = outcomeOf(result, contextValue.calls);
    // What goes on below a nulled position outlasts the answer.
    if (world.late > 0) await drained();
    expectSame(result.errors?.length ?? 0, outcome.errors.length, 'no late errors');
    return outcome;
  };

  const compare = async (variableValues: object): Promise<void> => {
    const expected = await run(reference, variableValues);
    leaked = [];
    const actual = await run(executor, variableValues);
    expectSame(leaked, [], 'unhandled rejections');
    expectSame(actual.data, expected.data, 'data');
    const [ours, theirs] = [actual, expected].map(inAnyOrder);
    const isPropagated = (theirs?.far.length ?? 0) > 0;
    if (world.late > 0) {
      expectSame(ours, theirs, 'errors');
      expectSame(new Set(actual.errors).size, actual.errors.length, 'no error twice');
      // Next to a field that makes its parent null, either may leave out a call, since its result is dropped.
      if (!isPropagated) expectSame(actual.calls.toSorted(), expected.calls.toSorted(), 'calls');
    } else {
      expectSame(actual.errors, expected.errors, 'errors');
      expectSame(actual.calls, expected.calls, 'calls');
    }
    const { data, errors = [] } = expected.result;
    if (mutates && errors.length === 0) expectSame(rootOrder(actual), rootOrder(expected), 'order');
    seen.data += Number(errors.length === 0);
    seen.partial += Number(Boolean(data) && errors.length > 0);
    seen.nothing += Number(data === null);
    seen.propagated += Number(isPropagated);
    seen.serial += Number(mutates);
    seen.conditions += Number(/\(if: \$/.test(text));
  };

  const other = given.map(([name, value], index) => {
    if (typeof value === 'boolean') return [name, !value];
    return [name, world.trouble > 20 && index === 0 ? [[null]] : value];
  });
  // The first of a document makes a plan; the others, and the first once more, may find it made.
  for (const entries of [given, other, given]) {
    const values = Object.fromEntries(entries);
    try {
      await compare(values);
    } catch (error) {
      const facts = `${text}\n${JSON.stringify({ values, world })}`;
      throw new Error(`${(error as Error).message}\n${facts}`, { cause: error });
    }
  }
};

const check = (late: readonly number[], share: number): Promise<void> => {
  const world = fc.record({
    seed: fc.nat(),
    late: fc.constantFrom(...late),
    trouble: fc.constantFrom(0, 3, 10, 30, 100),
  });
  const kind = fc.constantFrom('query', 'query', 'about', 'mutation');
  // Making a counterexample smaller takes minutes.
  const parameters = { seed, endOnFailure: true, numRuns: Math.ceil(runs * share) };
  return fc.assert(fc.asyncProperty(world, kind, fc.gen(), property), parameters);
};

it('gives what graphql-js gives, and in its order, where all resolvers are synchronous', async () => {
  // No list takes long enough to go on in a later turn.
  const time = holdTime();
  await check([0], 0.4).finally(time.release);
}, 600_000);

it('gives what graphql-js gives where resolvers settle in any order', async () => {
  await check([10, 50], 0.4);
}, 600_000);

it('gives what graphql-js gives where each list goes on in a later turn after each item', async () => {
  const time = holdTime();
  const { now } = performance;
  performance.now = () => {
    time.pass(1);
    return now();
  };
  await check([1, 10], 0.2).finally(time.release);
}, 600_000);

it('met everything often enough', () => {
  expect(documents).toBeGreaterThanOrEqual(runs);
  for (const [what, times] of Object.entries(seen))
    expect(times, what).toBeGreaterThan(documents / 20);
});

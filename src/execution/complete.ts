import {
  type GraphQLAbstractType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  type ResponsePath,
} from 'graphql';
import { isPromise } from '../is-promise.ts';
import type { FieldPlan } from './field-plan.ts';
import { infoOf } from './info.ts';
import { iterableOf } from './iterable.ts';
import { abandon, type Lacking, putWhenThere, whenWhole } from './lacking.ts';
import { completeLeaf, isThere } from './leaf.ts';
import { completePlainList } from './plain.ts';
import type { Projection } from './projection.ts';
import { pathOf, resolveField } from './resolve-field.ts';
import type { Result } from './result.ts';
import type { Run } from './run.ts';
import { runtimeType, typenameOf } from './runtime-type.ts';
import type { Selection } from './selection.ts';
import type { Place } from './waiting.ts';

/**
 * Makes what a resolver gave into what the answer says (specification, section 6.4.3): the result, or a
 * promise of it where a promise lies within. Throws what the field is to fail with.
 */
export type Complete = (run: Run, plan: FieldPlan, path: ResponsePath, value: unknown) => unknown;

const completeNonNull =
  (complete: Complete): Complete =>
  (run, plan, path, value) => {
    const completed = complete(run, plan, path, value);
    if (completed !== null) return completed;
    throw new Error(
      `Cannot return null for non-nullable field ${plan.parentType.name}.${plan.name}.`,
    );
  };

// Closures are made by functions of their own: V8 prepares for all of a function's closures at each call of it, and most
// calls of those below need none.

const completeArrived = (
  run: Run,
  plan: FieldPlan,
  complete: Complete,
  path: ResponsePath,
  value: PromiseLike<unknown>,
): Promise<unknown> => Promise.resolve(value).then((arrived) => complete(run, plan, path, arrived));

/** The promise of what may not be null, which rejects with what the field is to fail with. */
const orFail = (
  completed: Promise<unknown>,
  run: Run,
  plan: FieldPlan,
  path: ResponsePath,
): Promise<unknown> =>
  completed.catch((thrown: unknown) => run.fail(thrown, plan.nodes, false, path));

/**
 * The result of a field's value, or of an item of its list. What may be null is null until it has
 * arrived; what may not is a promise until then, and throws what it fails with.
 */
const completeAt = (
  run: Run,
  plan: FieldPlan,
  complete: Complete,
  nullable: boolean,
  parent: Place['parent'],
  key: string | number,
  path: ResponsePath,
  value: unknown,
): unknown => {
  try {
    if (isPromise(value)) {
      if (nullable) {
        run.waiting.forValue(value, { plan, complete, path, parent, key });
        return null;
      }
      return orFail(completeArrived(run, plan, complete, path, value), run, plan, path);
    }
    const completed = complete(run, plan, path, value);
    if (!(completed instanceof Promise)) return completed;
    if (nullable) {
      run.waiting.forResult(completed, { plan, complete, path, parent, key });
      return null;
    }
    return orFail(completed, run, plan, path);
  } catch (thrown) {
    return run.fail(thrown, plan.nodes, nullable, path);
  }
};

const completeList = (itemType: GraphQLOutputType): Complete => {
  const complete = completerOf(itemType);
  const nullable = !isNonNullType(itemType);
  return (run, plan, path, value) => {
    if (!isThere(value)) return null;
    const plain = completePlainList(plan, itemType, value);
    if (plain) return plain;
    const results: unknown[] = [];
    const lacking: Lacking = [];
    try {
      for (const item of iterableOf(plan, value)) {
        const index = results.length;
        const at = { prev: path, key: index, typename: undefined };
        const result = completeAt(run, plan, complete, nullable, results, index, at, item);
        results.push(result);
        if (result instanceof Promise) lacking.push(result);
      }
    } catch (error) {
      abandon(lacking);
      throw error;
    }
    return lacking.length > 0 ? Promise.all(results) : results;
  };
};

/** A member that is a leaf already, as most fields are: it is spared what other values need. */
const isPlain = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** Resolves and completes one field of a result; see `completeAt`. */
export const executeField = (
  run: Run,
  plan: FieldPlan,
  source: unknown,
  parent: ResponsePath | undefined,
  result: Result,
): unknown => {
  const { serializeMember, nullable } = plan;
  if (serializeMember !== undefined && typeof source === 'object' && source !== null) {
    try {
      const value = (source as Readonly<Record<string, unknown>>)[plan.name];
      if (isPlain(value)) return serializeMember(value);
    } catch (thrown) {
      return run.fail(thrown, plan.nodes, nullable, pathOf(plan, parent));
    }
  }
  const path = pathOf(plan, parent);
  let value: unknown;
  try {
    value = resolveField(run, plan, source, path);
  } catch (thrown) {
    return run.fail(thrown, plan.nodes, nullable, path);
  }
  return completeAt(run, plan, plan.complete, nullable, result, plan.key, path, value);
};

/**
 * Executes fields side by side into a result (specification, section 6.2.1), and gives it, or a promise of
 * it. Throws the error of the first field that may not be null.
 */
export const executeInto = (
  run: Run,
  fields: readonly FieldPlan[],
  source: unknown,
  path: ResponsePath | undefined,
  result: Result,
): Result | Promise<Result> => {
  let lacking: Lacking | undefined;
  try {
    for (const plan of fields) {
      const value = executeField(run, plan, source, path, result);
      result[plan.key] = value;
      if (value instanceof Promise) {
        lacking ??= [];
        lacking.push(putWhenThere(result, plan.key, value));
      }
    }
  } catch (error) {
    if (lacking) abandon(lacking);
    throw error;
  }
  return lacking ? whenWhole(lacking, result) : result;
};

/** What a projection makes of an object, with its other fields executed; undefined where it fails. */
const executeProjected = (
  run: Run,
  projection: Projection,
  source: object,
  path: ResponsePath,
): Result | Promise<Result> | undefined => {
  const { others } = projection;
  const result = projection.project(source);
  return result && others.length > 0 ? executeInto(run, others, source, path, result) : result;
};

/** The fields selected of an object, or a promise of them. Throws as `executeInto` does. */
const executeFields = (
  run: Run,
  selection: Selection,
  source: unknown,
  path: ResponsePath,
): Result | Promise<Result> => {
  const projection = selection.projectionIn(run);
  if (projection && typeof source === 'object' && source !== null) {
    const completed = executeProjected(run, projection, source, path);
    if (completed) return completed;
    selection.missed();
  }
  return executeInto(run, selection.fields, source, path, selection.createResult());
};

/** Fields of an object that may have been completed before, at another place of the answer. */
const executeAgain = (
  run: Run,
  plan: FieldPlan,
  type: GraphQLObjectType,
  path: ResponsePath,
  value: unknown,
): unknown => {
  const known = run.completed?.get(plan)?.get(value);
  if (known) return known;
  const errorsBefore = run.errors.met;
  const waitingBefore = run.waiting.met;
  const completed = executeFields(run, plan.selectionOf(type, run), value, path);
  // An error has a path of its own, and what waits may yet have one.
  if (
    completed instanceof Promise ||
    run.errors.met > errorsBefore ||
    run.waiting.met > waitingBefore
  )
    return completed;
  run.completed ??= new Map();
  const others = run.completed.get(plan) ?? new Map<unknown, object>();
  run.completed.set(plan, others.set(value, completed));
  return completed;
};

const executeObject = (
  run: Run,
  plan: FieldPlan,
  type: GraphQLObjectType,
  path: ResponsePath,
  value: unknown,
): unknown =>
  plan.meetsAgain && run.repeatable
    ? executeAgain(run, plan, type, path, value)
    : executeFields(run, plan.selectionOf(type, run), value, path);

const completeAbstract =
  (type: GraphQLAbstractType): Complete =>
  (run, plan, path, value) => {
    if (!isThere(value)) return null;
    const name = type.resolveType
      ? type.resolveType(value, run.contextValue, infoOf(run, plan, path), type)
      : typenameOf(value);
    return isPromise(name)
      ? Promise.resolve(name).then((resolved) =>
          executeObject(run, plan, runtimeType(type, resolved, run, plan), path, value),
        )
      : executeObject(run, plan, runtimeType(type, name, run, plan), path, value);
  };

/** Prepares the completion of a type's values. */
export const completerOf = (type: GraphQLOutputType): Complete => {
  if (isNonNullType(type)) return completeNonNull(completerOf(type.ofType));
  if (isListType(type)) return completeList(type.ofType);
  if (isLeafType(type)) return completeLeaf(type);
  if (isAbstractType(type)) return completeAbstract(type);
  return (run, plan, path, value) =>
    isThere(value) ? executeObject(run, plan, type, path, value) : null;
};

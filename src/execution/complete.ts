import {
  type GraphQLAbstractType,
  GraphQLError,
  type GraphQLLeafType,
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
import { serializerOf } from './leaf.ts';
import type { Run } from './run.ts';
import { runtimeType, typenameOf } from './runtime-type.ts';

/**
 * Makes what a resolver gave into what the answer says (specification, section 6.4.3): the result, or a
 * promise of it where a promise lies within. Throws what the field is to fail with.
 */
export type Complete = (run: Run, plan: FieldPlan, path: ResponsePath, value: unknown) => unknown;

/** Whether there is a value at all; throws an error that stands in a value's place. */
const isThere = (value: unknown): boolean => {
  if (value instanceof Error) throw value;
  return value !== null && value !== undefined;
};

const completeNonNull =
  (complete: Complete): Complete =>
  (run, plan, path, value) => {
    const completed = complete(run, plan, path, value);
    if (completed !== null) return completed;
    throw new Error(
      `Cannot return null for non-nullable field ${plan.parentType.name}.${plan.name}.`,
    );
  };

const completeLeaf = (type: GraphQLLeafType): Complete => {
  const serialize = serializerOf(type);
  return (_, __, ___, value) => (isThere(value) ? serialize(value) : null);
};

const listOf = (plan: FieldPlan, value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value;
  if (typeof value === 'object' && value !== null && Symbol.iterator in value) {
    return Array.from(value as Iterable<unknown>);
  }
  throw new GraphQLError(
    `Expected Iterable, but did not find one for field "${plan.parentType.name}.${plan.name}".`,
  );
};

const completeList = (itemType: GraphQLOutputType): Complete => {
  const complete = completerOf(itemType);
  const nullable = !isNonNullType(itemType);

  const completeItem = (run: Run, plan: FieldPlan, path: ResponsePath, item: unknown): unknown => {
    const fail = (thrown: unknown): null => run.fail(thrown, plan.nodes, nullable, path);
    try {
      const completed = isPromise(item)
        ? Promise.resolve(item).then((resolved) => complete(run, plan, path, resolved))
        : complete(run, plan, path, item);
      return completed instanceof Promise ? completed.then(undefined, fail) : completed;
    } catch (thrown) {
      return fail(thrown);
    }
  };

  return (run, plan, path, value) => {
    if (!isThere(value)) return null;
    const items = listOf(plan, value);
    const completed: unknown[] = [];
    let waits = false;
    try {
      for (let index = 0; index < items.length; index += 1) {
        const itemPath = { prev: path, key: index, typename: undefined };
        const item = completeItem(run, plan, itemPath, items[index]);
        completed.push(item);
        if (item instanceof Promise) waits = true;
      }
    } catch (error) {
      // Nobody waits for the other items any longer, but they may still reject.
      for (const item of completed) if (item instanceof Promise) item.catch(() => undefined);
      throw error;
    }
    return waits ? Promise.all(completed) : completed;
  };
};

/** An object of the answer. Without a prototype `__proto__` is a key like any other. */
export class Result {
  [key: string]: unknown;
}
Object.setPrototypeOf(Result.prototype, null);

/** What a parent has for a field without a resolver: a member, or what a method gives. */
const readMember = (run: Run, plan: FieldPlan, source: unknown, path: ResponsePath): unknown => {
  const args = plan.argumentsIn(run);
  if (source === null || (typeof source !== 'object' && typeof source !== 'function')) {
    return undefined;
  }
  const value = (source as Readonly<Record<string, unknown>>)[plan.name];
  return typeof value === 'function'
    ? value.call(source, args, run.contextValue, infoOf(run, plan, path))
    : value;
};

/** Completes what a resolver promised, once it is there. */
const settleField = (
  run: Run,
  plan: FieldPlan,
  path: ResponsePath,
  promise: PromiseLike<unknown>,
): Promise<unknown> => {
  const fail = (thrown: unknown): null => run.fail(thrown, plan.nodes, plan.nullable, path);
  return Promise.resolve(promise).then((value) => {
    try {
      const completed = plan.complete(run, plan, path, value);
      return completed instanceof Promise ? completed.then(undefined, fail) : completed;
    } catch (thrown) {
      return fail(thrown);
    }
  }, fail);
};

/** Resolves and completes one field. Throws its error where it may not be null. */
export const executeField = (
  run: Run,
  plan: FieldPlan,
  source: unknown,
  parent: ResponsePath | undefined,
): unknown => {
  const path = { prev: parent, key: plan.key, typename: plan.parentType.name };
  try {
    const value = plan.resolve
      ? plan.resolve(source, plan.argumentsIn(run), run.contextValue, infoOf(run, plan, path))
      : readMember(run, plan, source, path);
    if (isPromise(value)) return settleField(run, plan, path, value);
    const completed = plan.complete(run, plan, path, value);
    if (!(completed instanceof Promise)) return completed;
    return completed.then(undefined, (thrown: unknown) =>
      run.fail(thrown, plan.nodes, plan.nullable, path),
    );
  } catch (thrown) {
    return run.fail(thrown, plan.nodes, plan.nullable, path);
  }
};

/** Puts what was promised in its place, once all of it is there. */
const settleResult = async (result: Result, waiting: readonly FieldPlan[]): Promise<Result> => {
  const values = await Promise.all(waiting.map(({ key }) => result[key]));
  waiting.forEach(({ key }, index) => {
    result[key] = values[index];
  });
  return result;
};

/**
 * Executes fields side by side (specification, section 6.2.1): their results by response key, or a promise of
 * them. Throws the error of the first field that may not be null, after the others have ended.
 */
export const executeFields = (
  run: Run,
  fields: readonly FieldPlan[],
  source: unknown,
  path: ResponsePath | undefined,
): Result | Promise<Result> => {
  const result = new Result();
  const waiting: FieldPlan[] = [];
  try {
    for (const plan of fields) {
      const value = executeField(run, plan, source, path);
      result[plan.key] = value;
      if (value instanceof Promise) waiting.push(plan);
    }
  } catch (error) {
    if (waiting.length === 0) throw error;
    return settleResult(result, waiting).finally(() => {
      throw error;
    });
  }
  return waiting.length > 0 ? settleResult(result, waiting) : result;
};

/** Fields of an object that may have been completed before, at another place of the answer. */
const executeAgain = (
  run: Run,
  plan: FieldPlan,
  type: GraphQLObjectType,
  path: ResponsePath,
  value: unknown,
): unknown => {
  const known = run.completed.get(plan)?.get(value);
  if (known) return known;
  const errorsBefore = run.errors.met;
  const completed = executeFields(run, plan.fieldsOf(type, run), value, path);
  // An error has a path of its own, and what waits may yet have one.
  if (completed instanceof Promise || run.errors.met > errorsBefore) return completed;
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
    : executeFields(run, plan.fieldsOf(type, run), value, path);

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

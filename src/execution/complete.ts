import {
  defaultTypeResolver,
  type GraphQLAbstractType,
  GraphQLError,
  type GraphQLLeafType,
  type GraphQLObjectType,
} from 'graphql';
import { leafSize } from '../graphql/response-size.ts';
import type { FieldPlan, Result, Selection, Shape } from './plan.ts';
import { infoOf, isPromise, Place, type Run } from './run.ts';
import { runtimeType } from './runtime-type.ts';

const completeLeaf = (type: GraphQLLeafType, value: unknown): unknown => {
  const serialized: unknown = type.serialize(value);
  if (serialized !== null && serialized !== undefined) return serialized;
  // Unlike the message of graphql-js, this one does not quote the value, which may be anything from an upstream.
  throw new Error(`Expected \`${type.name}.serialize\` to return a value.`);
};

/** Adds a leaf and its key to the size of the response. */
const counted = (run: Run, { key }: FieldPlan, leaf: unknown): unknown => {
  run.count(leafSize(key, leaf));
  return leaf;
};

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Partial<Iterable<unknown>>)[Symbol.iterator] === 'function';

/** Takes all items at once. A promise that rejects before its turn, or after the list has failed, would count as unhandled. */
const handled = (items: Iterator<unknown>): Iterator<unknown> => {
  const all: unknown[] = [];
  let broken: { readonly error: unknown } | undefined;
  try {
    for (const item of Iterator.from(items)) {
      if (isPromise(item)) item.then(undefined, () => undefined);
      all.push(item);
    }
  } catch (error) {
    broken = { error };
  }
  return (function* () {
    yield* all;
    if (broken) throw broken.error;
  })();
};

const completeList = (
  run: Run,
  plan: FieldPlan,
  item: Shape,
  place: Place,
  value: unknown,
): unknown => {
  if (!isIterable(value)) {
    const field = `${plan.parentType.name}.${plan.name}`;
    throw new GraphQLError(`Expected Iterable, but did not find one for field "${field}".`);
  }
  const results: unknown[] = [];
  const goOn = (items: Iterator<unknown>, isWaiting: boolean): void => {
    try {
      for (let next = items.next(); !next.done; next = items.next()) {
        // Throws if the response is full, which stops the list: an error below an item might only make that item null.
        run.count(1);
        const at = new Place(place, results.length, undefined, results, item.nullable);
        results.push(completeAt(run, plan, item, at, next.value));
        if (!run.mustGiveWay()) continue;
        const rest = isWaiting ? items : handled(items);
        run.goOnLater(plan, place, () => goOn(rest, true));
        return;
      }
    } catch (thrown) {
      if (!isWaiting) handled(items);
      throw thrown;
    }
  };
  goOn(value[Symbol.iterator](), false);
  return results;
};

const completeObject = (
  run: Run,
  plan: FieldPlan,
  type: GraphQLObjectType,
  place: Place,
  value: unknown,
): unknown => {
  const execute = (): Result => {
    run.count(plan.key.length);
    const selection = plan.selectionOf(type, run);
    const result = selection.createResult();
    executeFields(run, selection, value, place, result);
    return result;
  };
  if (!type.isTypeOf) return execute();
  const check = (isOfType: unknown): Result => {
    if (isOfType) return execute();
    throw new GraphQLError(`Expected value of type "${type.name}".`, { nodes: [...plan.nodes] });
  };
  const isOfType = type.isTypeOf(value, run.contextValue, infoOf(run, plan, place));
  return isPromise(isOfType) ? run.putLater(isOfType, plan, place, check) : check(isOfType);
};

const completeAbstract = (
  run: Run,
  plan: FieldPlan,
  type: GraphQLAbstractType,
  place: Place,
  value: unknown,
): unknown => {
  const resolveType = type.resolveType ?? defaultTypeResolver;
  const complete = (name: unknown): unknown =>
    completeObject(run, plan, runtimeType(run, plan, type, name), place, value);
  const name = resolveType(value, run.contextValue, infoOf(run, plan, place), type);
  return isPromise(name) ? run.putLater(name, plan, place, complete) : complete(name);
};

/** Converts a resolver's value to the response's (specification, section 6.4.3). Throws the error of the field. */
const complete = (
  run: Run,
  plan: FieldPlan,
  shape: Shape,
  place: Place,
  value: unknown,
): unknown => {
  if (value instanceof Error) throw value;
  if (value === null || value === undefined) {
    if (shape.nullable) return null;
    const field = `${plan.parentType.name}.${plan.name}`;
    throw new Error(`Cannot return null for non-nullable field ${field}.`);
  }
  switch (shape.kind) {
    case 'leaf':
      return counted(run, plan, completeLeaf(shape.type, value));
    case 'list':
      return completeList(run, plan, shape.item, place, value);
    case 'object':
      return completeObject(run, plan, shape.type, place, value);
    case 'abstract':
      return completeAbstract(run, plan, shape.type, place, value);
  }
};

/** Completes a value, or a promise of a value, at its place. Throws only if the place may not be null. */
const completeAt = (
  run: Run,
  plan: FieldPlan,
  shape: Shape,
  place: Place,
  value: unknown,
): unknown => {
  try {
    if (!isPromise(value)) return complete(run, plan, shape, place, value);
    return run.putLater(value, plan, place, (arrived) =>
      complete(run, plan, shape, place, arrived),
    );
  } catch (thrown) {
    return run.fail(thrown, plan, place);
  }
};

/** The value from the field's resolver or, without a resolver, from the parent's property or method. */
const resolve = (run: Run, plan: FieldPlan, source: unknown, place: Place): unknown => {
  const { field, name } = plan;
  const args = run.argumentsOf(plan);
  if (field.resolve) {
    return field.resolve(source, args, run.contextValue, infoOf(run, plan, place));
  }
  if (source === null || (typeof source !== 'object' && typeof source !== 'function')) {
    return undefined;
  }
  const member = (source as Readonly<Record<string, unknown>>)[name];
  return typeof member === 'function'
    ? member.call(source, args, run.contextValue, infoOf(run, plan, place))
    : member;
};

/**
 * Reads a leaf that is a property of its parent; undefined in all other cases. Most fields are such leaves, and need no
 * place, arguments or info.
 */
const readLeaf = ({ leafMember, name, shape }: FieldPlan, source: unknown): unknown => {
  if (!leafMember || typeof source !== 'object' || source === null) return undefined;
  const value = (source as Readonly<Record<string, unknown>>)[name];
  if (value === null || value === undefined) return shape.nullable ? null : undefined;
  const isPlain =
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isPlain ? completeLeaf(leafMember, value) : undefined;
};

/** Resolves and completes one field. Throws only if the field may not be null. */
export const executeField = (
  run: Run,
  plan: FieldPlan,
  source: unknown,
  parent: Place | undefined,
  result: Result,
): void => {
  const { key, shape } = plan;
  let place: Place | undefined;
  try {
    const leaf = readLeaf(plan, source);
    if (leaf !== undefined) {
      result[key] = counted(run, plan, leaf);
      return;
    }
    place = new Place(parent, key, plan.parentType.name, result, shape.nullable);
    result[key] = completeAt(run, plan, shape, place, resolve(run, plan, source, place));
  } catch (thrown) {
    place ??= new Place(parent, key, plan.parentType.name, result, shape.nullable);
    result[key] = run.fail(thrown, plan, place);
  }
};

/** Executes fields in parallel (specification, section 6.2.1). */
const executeFields = (
  run: Run,
  { fields }: Selection,
  source: unknown,
  parent: Place | undefined,
  result: Result,
): void => {
  for (const plan of fields) executeField(run, plan, source, parent, result);
};

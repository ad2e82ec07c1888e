import {
  defaultFieldResolver,
  type ExecutionArgs,
  type FieldNode,
  type GraphQLNamedType,
  getNamedType,
  isLeafType,
} from 'graphql';
import { enoughErrors, type ResponseSize, smallSize, tooLarge } from '../graphql/response-size.ts';
import { isObject } from '../is-object.ts';
import type { PartsForm } from '../negotiation.ts';
import { isContext, type PartsOptions, type ResolvedField, withParts } from '../request/context.ts';
import { Turns } from '../yield.ts';

/**
 * What an awaited value, and a later part, count in the size of the response, in characters. Measured: Yoga's executor
 * takes 6 KB for an awaited value and 4 KB for a part, and searches all parts for each error.
 */
const awaitedSize = 600;
const partSize = 5000;

/**
 * What each pair of an error and a value counts, in characters: for each later part the newer executor compares the paths
 * of its values with those of all errors, and lets nothing else run meanwhile. Measured: 15 ns for a pair.
 */
const pairSizes: Readonly<Record<PartsForm, number>> = { 'v0.1': 0, 'v0.2': 1 };

/** The error of a value that does not fit its scalar or enum, or of the first such value in a list. */
const unfitOf = (value: unknown, type: GraphQLNamedType): unknown => {
  if (!isLeafType(type) || value === null || value === undefined) return undefined;
  try {
    for (const each of Array.isArray(value) ? value : [value])
      if (each != null) type.serialize(each);
    return undefined;
  } catch (error) {
    return error;
  }
};

interface LaterParts {
  readonly form: PartsForm;
  readonly isDeferred: PartsOptions['isDeferred'];
  /** The number of later parts below each value of a field. */
  readonly partsOf: (nodes: readonly FieldNode[]) => number;
}

const keyOf = ([node]: readonly FieldNode[]): string => (node?.alias ?? node?.name)?.value ?? '';

/**
 * Hides a member `then` from Yoga's executor, which awaits every object that has one, even if it is not a function. A
 * record of an upstream may have this member, which no field shows.
 */
const withoutThen = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutThen);
  if (!isObject(value) || typeof value.then === 'function') return value;
  const { then, ...others } = value;
  return then === undefined ? value : others;
};

/** A longer list is executed in several turns of the event loop, so that other requests are served in between. */
const manyItems = 100;

/** An asynchronous list, since Yoga's executor awaits each of its items. */
const inTurns = (value: unknown, turns: Turns): unknown => {
  if (
    !Array.isArray(value) ||
    value.length <= manyItems ||
    value.some((item) => item instanceof Promise)
  )
    return value;
  const items: readonly unknown[] = value;
  return (async function* (): AsyncGenerator<unknown, void> {
    for (const item of items) {
      await turns.giveWay();
      yield item;
    }
  })();
};

/**
 * Arguments for Yoga's executor, with resolvers that stop once the response is full. Further fields are null, with an
 * error. The gateway's own executor counts by itself.
 */
export const countedArgs = (
  args: ExecutionArgs,
  size: ResponseSize,
  { form, isDeferred, partsOf }: LaterParts,
): ExecutionArgs => {
  const { contextValue } = args;
  const turns = isContext(contextValue) ? contextValue.turns : new Turns();
  const pairSize = pairSizes[form];
  let [refused, values, failed] = [0, 0, 0];
  /** Throws if the response is full; returns false once enough errors have said so. */
  const hasRoomFor = (characters: number): boolean => {
    size.add(characters);
    if (!size.isFull) return true;
    refused += 1;
    if (refused > enoughErrors) return false;
    throw tooLarge(size.most);
  };
  const fail = (error: unknown): null => {
    failed += 1;
    // Once the response is full, its remaining fields fail with fewer errors.
    if (hasRoomFor(values * pairSize)) throw error;
    return null;
  };
  const count = ({ fieldNodes: nodes, returnType }: ResolvedField, resolved: unknown): unknown => {
    const value = withoutThen(resolved);
    if (value instanceof Error) return fail(value);
    const unfit = pairSize > 0 && unfitOf(value, getNamedType(returnType));
    if (unfit) return fail(unfit);
    values += 1;
    size.add(failed * pairSize);
    if (value === null || value === undefined) return value;
    const items = Array.isArray(value) ? value.length : 1;
    const text = typeof value === 'string' ? value.length : 0;
    const inItem = smallSize + partsOf(nodes) * partSize;
    return hasRoomFor(keyOf(nodes).length + text + items * inItem) ? inTurns(value, turns) : null;
  };
  const options: PartsOptions = {
    isDeferred,
    resolve: (field, resolve) => {
      if (!hasRoomFor(0)) return null;
      let value: unknown;
      try {
        value = resolve();
      } catch (error) {
        return fail(error);
      }
      if (!(value instanceof Promise)) return count(field, value);
      size.add(awaitedSize);
      return value.then((arrived: unknown) => count(field, arrived), fail);
    },
  };
  return {
    ...args,
    contextValue: isContext(contextValue) ? withParts(contextValue, options) : contextValue,
    fieldResolver: (parent, given, context, info) =>
      count(info, defaultFieldResolver(parent, given, context, info)),
  };
};

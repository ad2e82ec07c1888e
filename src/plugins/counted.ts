import { defaultFieldResolver, type ExecutionArgs, type FieldNode } from 'graphql';
import { isObject } from '../is-object.ts';
import { isContext, type PartsOptions, withParts } from '../request/context.ts';
import { ResponseSize } from './response-size.ts';

interface LaterParts {
  readonly isDeferred: PartsOptions['isDeferred'];
  /** How many later parts each value of a field has. */
  readonly partsOf: (nodes: readonly FieldNode[]) => number;
}

const none: LaterParts = { isDeferred: () => false, partsOf: () => 0 };

const keyOf = ([node]: readonly FieldNode[]): string => (node?.alias ?? node?.name)?.value ?? '';

/**
 * A value that Yoga's executor does not take for a promise by mistake: it awaits every object with a member `then`, be it a
 * function or not. A record of an upstream may have one, which nobody can select.
 */
const withoutThen = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutThen);
  if (!isObject(value) || typeof value.then === 'function') return value;
  const { then, ...others } = value;
  return then === undefined ? value : others;
};

/**
 * The arguments to execute an operation with by Yoga's executor, so that no more is resolved once the response is full.
 *
 * @param maxSize characters that the response may have, roughly
 */
export const countedArgs = (
  args: ExecutionArgs,
  maxSize: number,
  { isDeferred, partsOf }: LaterParts = none,
): ExecutionArgs => {
  const { contextValue } = args;
  const size = new ResponseSize(maxSize);
  const count = (nodes: readonly FieldNode[], value: unknown): unknown =>
    size.counted(keyOf(nodes), withoutThen(value), partsOf(nodes));
  const options: PartsOptions = {
    isDeferred,
    resolve: (nodes, resolve) => {
      if (!size.hasRoom()) return null;
      const value = resolve();
      if (!(value instanceof Promise)) return count(nodes, value);
      size.countAwaited();
      return value.then((arrived: unknown) => count(nodes, arrived));
    },
  };
  return {
    ...args,
    contextValue: isContext(contextValue) ? withParts(contextValue, options) : contextValue,
    fieldResolver: (parent, given, context, info) =>
      count(info.fieldNodes, defaultFieldResolver(parent, given, context, info)),
  };
};

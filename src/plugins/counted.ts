import { defaultFieldResolver, type ExecutionArgs, type FieldNode } from 'graphql';
import { isContext, type PartsOptions, withParts } from '../gateway/context.ts';
import { ResponseSize } from './response-size.ts';

interface LaterParts {
  readonly isDeferred: PartsOptions['isDeferred'];
  /** How many later parts each value of a field has. */
  readonly partsOf: (nodes: readonly FieldNode[]) => number;
}

const none: LaterParts = { isDeferred: () => false, partsOf: () => 0 };

const keyOf = ([node]: readonly FieldNode[]): string => (node?.alias ?? node?.name)?.value ?? '';

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
    size.counted(keyOf(nodes), value, partsOf(nodes));
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

import { defaultFieldResolver, type ExecutionArgs, type FieldNode } from 'graphql';
import {
  enoughErrors,
  type ResponseSize,
  smallSize,
  tooLarge,
} from '../execution/response-size.ts';
import { isObject } from '../is-object.ts';
import { isContext, type PartsOptions, withParts } from '../request/context.ts';

/**
 * What a value that is awaited, and a part that comes later, take of the room for a response, in characters: Yoga's executor
 * has been seen to hold 6 KB for the one and 4 KB for the other, and looks through all parts for each error.
 */
const awaitedSize = 600;
const partSize = 5000;

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
 * What goes beyond is null, with an error; the gateway's own executor counts by itself.
 */
export const countedArgs = (
  args: ExecutionArgs,
  size: ResponseSize,
  { isDeferred, partsOf }: LaterParts = none,
): ExecutionArgs => {
  const { contextValue } = args;
  let refused = 0;
  /** Throws where the response is full, and gives false once that has been told often enough. */
  const hasRoomFor = (characters: number): boolean => {
    size.add(characters);
    if (!size.isFull) return true;
    refused += 1;
    if (refused > enoughErrors) return false;
    throw tooLarge(size.most);
  };
  const count = (nodes: readonly FieldNode[], resolved: unknown): unknown => {
    const value = withoutThen(resolved);
    if (value === null || value === undefined || value instanceof Error) return value;
    const items = Array.isArray(value) ? value.length : 1;
    const text = typeof value === 'string' ? value.length : 0;
    const inItem = smallSize + partsOf(nodes) * partSize;
    return hasRoomFor(keyOf(nodes).length + text + items * inItem) ? value : null;
  };
  const options: PartsOptions = {
    isDeferred,
    resolve: (nodes, resolve) => {
      if (!hasRoomFor(0)) return null;
      const value = resolve();
      if (!(value instanceof Promise)) return count(nodes, value);
      size.add(awaitedSize);
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

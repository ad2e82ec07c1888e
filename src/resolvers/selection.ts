import type { GraphQLObjectType, GraphQLResolveInfo } from 'graphql';
// biome-ignore lint/style/noRestrictedImports: look-ahead is about to have a collection of its own
import { collectFields, type FieldNodes } from '../execution/collect.ts';

export type { FieldNodes };

export const fieldName = (nodes: FieldNodes): string => nodes[0]?.name.value ?? '';

export const responseKey = (nodes: FieldNodes): string =>
  nodes[0]?.alias?.value ?? fieldName(nodes);

/** The fields selected below the field being resolved, were its value of the given type. */
export const selectedFields = (
  type: GraphQLObjectType,
  info: GraphQLResolveInfo,
): readonly FieldNodes[] => {
  const selectionSets = info.fieldNodes.map(({ selectionSet }) => selectionSet);
  return [...collectFields(type, selectionSets, info).values()];
};

/**
 * Keeps what is computed from a selection as long as executions share it, so that a hundred alerts do
 * not have it computed a hundred times. Executors share the array of a field's nodes between executions
 * only under the same values of the variables that `@skip` and `@include` depend on.
 */
export const perSelection = <Key extends string, Value>(
  compute: (key: Key, info: GraphQLResolveInfo) => Value,
): ((key: Key, info: GraphQLResolveInfo) => Value) => {
  const kept = new WeakMap<FieldNodes, Map<Key, Value>>();
  return (key, info) => {
    const values = kept.get(info.fieldNodes) ?? new Map<Key, Value>();
    const known = values.get(key);
    if (known !== undefined) return known;
    const value = compute(key, info);
    kept.set(info.fieldNodes, values.set(key, value));
    return value;
  };
};

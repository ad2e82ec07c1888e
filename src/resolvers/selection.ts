import { collectSubFields } from '@graphql-tools/utils';
import type { FieldNode, GraphQLObjectType, GraphQLResolveInfo } from 'graphql';

/** The nodes of one selected field: those that share a response key. */
export type FieldNodes = readonly FieldNode[];

export const fieldName = (nodes: FieldNodes): string => nodes[0]?.name.value ?? '';

export const responseKey = (nodes: FieldNodes): string =>
  nodes[0]?.alias?.value ?? fieldName(nodes);

/**
 * The fields selected below the field being resolved, were its value of the given type: fragments,
 * named and inline, are followed where they apply, and `@skip` and `@include` are obeyed.
 */
export const selectedFields = (
  type: GraphQLObjectType,
  info: GraphQLResolveInfo,
): readonly FieldNodes[] => {
  const variables = { coerced: info.variableValues, sources: {} };
  const { fields } = collectSubFields(info.schema, info.fragments, variables, type, [
    ...info.fieldNodes,
  ]);
  return [...fields.values()];
};

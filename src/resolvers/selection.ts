import { collectSubFields } from '@graphql-tools/utils';
import {
  type ASTNode,
  BREAK,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type OperationDefinitionNode,
  visit,
} from 'graphql';

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

const mentionsDirective = (node: ASTNode): boolean => {
  let found = false;
  visit(node, {
    Directive: () => {
      found = true;
      return BREAK;
    },
  });
  return found;
};

const conditional = new WeakMap<OperationDefinitionNode, boolean>();

/** Whether what is selected may depend on variables: only then does a document hold directives. */
const isConditional = ({ operation, fragments }: GraphQLResolveInfo): boolean => {
  const known = conditional.get(operation);
  if (known !== undefined) return known;
  const found = [operation, ...Object.values(fragments)].some(mentionsDirective);
  conditional.set(operation, found);
  return found;
};

const sameNodes = (one: FieldNodes, other: FieldNodes): boolean =>
  one.length === other.length && one.every((node, index) => node === other[index]);

/**
 * Keeps what is computed from a selection as long as its document lives, so that a hundred alerts do not
 * have it computed a hundred times. Where directives may change the selection it is computed each time.
 */
export const perSelection = <Key extends string, Value>(
  compute: (key: Key, info: GraphQLResolveInfo) => Value,
): ((key: Key, info: GraphQLResolveInfo) => Value) => {
  const kept = new WeakMap<FieldNode, { key: Key; nodes: FieldNodes; value: Value }[]>();
  return (key, info) => {
    const nodes = info.fieldNodes;
    const [first] = nodes;
    if (!first || isConditional(info)) return compute(key, info);
    const entries = kept.get(first) ?? [];
    const known = entries.find((entry) => entry.key === key && sameNodes(entry.nodes, nodes));
    if (known) return known.value;
    const value = compute(key, info);
    entries.push({ key, nodes, value });
    kept.set(first, entries);
    return value;
  };
};

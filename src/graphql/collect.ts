import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  isAbstractType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  typeFromAST,
} from 'graphql';
import type { Variables } from './variables.ts';

/** The nodes of one selected field: all with the same response key. */
export type FieldNodes = readonly [FieldNode, ...FieldNode[]];

/** What the meaning of a selection depends on, besides its nodes. */
export interface Scope {
  readonly schema: GraphQLSchema;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  readonly variableValues: Variables;
}

/** Whether `@skip` and `@include` include a selection. Throws if a condition has no value. */
const isIncluded = (node: SelectionNode, variables: Variables): boolean =>
  !node.directives?.length ||
  (getDirectiveValues(GraphQLSkipDirective, node, variables)?.if !== true &&
    getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if !== false);

const applies = (
  { typeCondition }: Pick<FragmentDefinitionNode, 'typeCondition'> | { typeCondition?: undefined },
  type: GraphQLObjectType,
  { schema }: Scope,
): boolean => {
  if (!typeCondition) return true;
  const wanted = typeFromAST(schema, typeCondition);
  return wanted === type || (isAbstractType(wanted) && schema.isSubType(wanted, type));
};

/**
 * The fields selected for a value of the type, by response key in the order of the response (specification, section
 * 6.3.2). Includes the fields of fragments that apply to the type.
 */
export const collectFields = (
  type: GraphQLObjectType,
  selectionSets: readonly (SelectionSetNode | undefined)[],
  scope: Scope,
): ReadonlyMap<string, FieldNodes> => {
  const fields = new Map<string, [FieldNode, ...FieldNode[]]>();
  const spread = new Set<string>();

  const collect = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      if (node.kind === Kind.FRAGMENT_SPREAD && spread.has(node.name.value)) continue;
      if (!isIncluded(node, scope.variableValues)) continue;
      if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value;
        const nodes = fields.get(key);
        if (nodes) nodes.push(node);
        else fields.set(key, [node]);
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        if (applies(node, type, scope)) collect(node.selectionSet);
      } else {
        spread.add(node.name.value);
        const fragment = scope.fragments[node.name.value];
        if (fragment && applies(fragment, type, scope)) collect(fragment.selectionSet);
      }
    }
  };

  for (const selectionSet of selectionSets) if (selectionSet) collect(selectionSet);
  return fields;
};

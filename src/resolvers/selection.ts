import {
  type FieldNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  isAbstractType,
  Kind,
  type NamedTypeNode,
  type SelectionNode,
  type SelectionSetNode,
  typeFromAST,
} from 'graphql';

/** What a resolver is told that decides which fields are selected. */
export type SelectionInfo = Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'variableValues'>;

/** A selected field: its nodes, which share one response key. */
export interface SelectedField {
  readonly name: string;
  readonly nodes: readonly FieldNode[];
}

const isIncluded = (node: SelectionNode, { variableValues }: SelectionInfo): boolean =>
  getDirectiveValues(GraphQLSkipDirective, node, variableValues)?.if !== true &&
  getDirectiveValues(GraphQLIncludeDirective, node, variableValues)?.if !== false;

const applies = (
  condition: NamedTypeNode | undefined,
  type: GraphQLObjectType,
  { schema }: SelectionInfo,
): boolean => {
  const wanted = condition && typeFromAST(schema, condition);
  return !wanted || wanted === type || (isAbstractType(wanted) && schema.isSubType(wanted, type));
};

/**
 * The fields selected below a field whose value is of the type: fragments are followed, `@skip` and
 * `@include` obeyed. Throws a GraphQLError where a directive has no value.
 *
 * @param nodes the field's nodes
 */
export const selectedFields = (
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  info: SelectionInfo,
): readonly SelectedField[] => {
  const fields = new Map<string, { name: string; nodes: FieldNode[] }>();
  const spread = new Set<string>();

  const collect = ({ selections }: SelectionSetNode): void => {
    for (const node of selections.filter((selection) => isIncluded(selection, info))) {
      if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value;
        const field = fields.get(key) ?? { name: node.name.value, nodes: [] };
        field.nodes.push(node);
        fields.set(key, field);
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        if (applies(node.typeCondition, type, info)) collect(node.selectionSet);
      } else if (!spread.has(node.name.value)) {
        spread.add(node.name.value);
        const fragment = info.fragments[node.name.value];
        if (fragment && applies(fragment.typeCondition, type, info)) collect(fragment.selectionSet);
      }
    }
  };

  for (const { selectionSet } of nodes) if (selectionSet) collect(selectionSet);
  return [...fields.values()];
};

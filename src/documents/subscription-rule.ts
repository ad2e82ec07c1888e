import {
  type DirectiveNode,
  type FragmentDefinitionNode,
  GraphQLError,
  getEnterLeaveForKind,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
  SingleFieldSubscriptionsRule,
  type ValidationRule,
} from 'graphql';

type FindFragment = (name: string) => FragmentDefinitionNode | null | undefined;

const isCondition = ({ name }: DirectiveNode): boolean =>
  name.value === 'skip' || name.value === 'include';

/** The conditions on the root fields of an operation, and on the fragments that contain them. */
const conditionsAtRoot = (
  { selectionSet: root }: OperationDefinitionNode,
  findFragment: FindFragment,
): readonly DirectiveNode[] => {
  const found: DirectiveNode[] = [];
  const collected = new Set<SelectionSetNode>();
  const collect = (set: SelectionSetNode | undefined): void => {
    if (!set || collected.has(set)) return;
    collected.add(set);
    for (const node of set.selections) {
      found.push(...(node.directives ?? []).filter(isCondition));
      if (node.kind === Kind.INLINE_FRAGMENT) collect(node.selectionSet);
      if (node.kind === Kind.FRAGMENT_SPREAD) collect(findFragment(node.name.value)?.selectionSet);
    }
  };
  collect(root);
  return found;
};

/**
 * A subscription has one root field, without conditions (specification of September 2025, CollectSubscriptionFields).
 * The rule of graphql-js 16 allows conditions, and throws if a condition is a variable.
 */
export const subscriptionRootRule: ValidationRule = (context) => {
  const ofOneField = SingleFieldSubscriptionsRule(context);
  const { enter } = getEnterLeaveForKind(ofOneField, Kind.OPERATION_DEFINITION);
  return {
    OperationDefinition: (node, ...where) => {
      if (node.operation !== OperationTypeNode.SUBSCRIPTION) return;
      const nodes = conditionsAtRoot(node, (name) => context.getFragment(name));
      if (nodes.length === 0) {
        enter?.call(ofOneField, node, ...where);
        return;
      }
      const subscription = node.name
        ? `Subscription "${node.name.value}"`
        : 'Anonymous Subscription';
      const message = `${subscription} must not use \`@skip\` or \`@include\` directives in the top level selection.`;
      context.reportError(new GraphQLError(message, { nodes }));
    },
  };
};

import {
  type DirectiveNode,
  GraphQLError,
  Kind,
  type StringValueNode,
  type ValidationRule,
} from 'graphql';

const isDefer = ({ name }: DirectiveNode): boolean => name.value === 'defer';

/** Clients tell parts apart by their labels, so each label is a literal and unique. */
export const deferLabelRule: ValidationRule = (context) => {
  const known = new Map<string, StringValueNode>();
  return {
    Directive: (node) => {
      if (!isDefer(node)) return;
      const label = node.arguments?.find(({ name }) => name.value === 'label')?.value;
      if (!label || label.kind === Kind.NULL) return;
      if (label.kind !== Kind.STRING) {
        const message = 'The label of @defer must be a string in the document, not a variable.';
        context.reportError(new GraphQLError(message, { nodes: label }));
        return;
      }
      const other = known.get(label.value);
      known.set(label.value, label);
      if (!other) return;
      const message = `Each label of @defer may stand once: "${label.value}" stands again.`;
      context.reportError(new GraphQLError(message, { nodes: [other, label] }));
    },
  };
};

/** Mutations run one after another, so no root field of a mutation can come later. */
export const deferRootRule: ValidationRule = (context) => {
  const isRoot = (type: unknown): boolean =>
    type !== undefined &&
    (type === context.getSchema().getMutationType() ||
      type === context.getSchema().getSubscriptionType());
  return {
    Directive: (node) => {
      if (!isDefer(node) || !isRoot(context.getParentType() ?? undefined)) return;
      const message = `@defer is not allowed on fields of ${context.getParentType()?.name}; it is allowed below them.`;
      context.reportError(new GraphQLError(message, { nodes: node }));
    },
  };
};

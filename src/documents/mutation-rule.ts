import { GraphQLError, OperationTypeNode, type ValidationRule } from 'graphql';

export const noMutationRule: ValidationRule = (context) => ({
  OperationDefinition: (node) => {
    if (node.operation !== OperationTypeNode.MUTATION) return;
    const message = 'This gateway carries out no mutations: its operator has switched them off.';
    const extensions = { code: 'MUTATIONS_OFF', setting: 'MUTATIONS' };
    context.reportError(new GraphQLError(message, { nodes: node, extensions }));
  },
});

import {
  type FloatValueNode,
  GraphQLError,
  GraphQLFloat,
  getNamedType,
  type IntValueNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';

/** The most characters of a literal that an error shows. */
const mostShown = 64;

const check = (context: ValidationContext, node: FloatValueNode | IntValueNode): void => {
  const type = context.getInputType();
  if (!type || getNamedType(type).name !== GraphQLFloat.name) return;
  if (Number.isFinite(Number(node.value))) return;
  const shown = node.value.slice(0, mostShown);
  const message = `Float must be between -1.8e308 and 1.8e308, got ${shown}`;
  context.reportError(new GraphQLError(message, { nodes: node }));
};

/**
 * Refuses a literal or default of type Float that is beyond its range, as graphql-js refuses it in a variable. As a
 * literal, graphql-js reads it as Infinity, which JSON writes as null.
 */
export const floatRule: ValidationRule = (context) => ({
  FloatValue: (node) => check(context, node),
  IntValue: (node) => check(context, node),
});

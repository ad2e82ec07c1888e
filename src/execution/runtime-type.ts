import {
  type GraphQLAbstractType,
  GraphQLError,
  type GraphQLObjectType,
  isObjectType,
} from 'graphql';
import type { FieldPlan } from './plan.ts';
import type { Run } from './run.ts';

/** The object type with this name, for a value of an abstract type. */
export const runtimeType = (
  run: Run,
  plan: FieldPlan,
  type: GraphQLAbstractType,
  name: unknown,
): GraphQLObjectType => {
  const fail = (message: string) => new GraphQLError(message, { nodes: [...plan.nodes] });
  if (name === undefined || name === null) {
    throw fail(
      `Abstract type "${type.name}" must resolve to an Object type at runtime for field "${plan.parentType.name}.${plan.name}". Either the "${type.name}" type should provide a "resolveType" function or each possible type should provide an "isTypeOf" function.`,
    );
  }
  if (typeof name !== 'string') {
    throw new GraphQLError(`Abstract type "${type.name}" must resolve to the name of a type.`);
  }
  const found = run.schema.getType(name);
  if (!found) {
    throw fail(
      `Abstract type "${type.name}" was resolved to a type "${name}" that does not exist inside the schema.`,
    );
  }
  if (!isObjectType(found)) {
    throw fail(`Abstract type "${type.name}" was resolved to a non-object type "${name}".`);
  }
  if (!run.schema.isSubType(type, found)) {
    throw fail(`Runtime Object type "${found.name}" is not a possible type for "${type.name}".`);
  }
  return found;
};

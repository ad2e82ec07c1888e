import { type GraphQLSchema, getDirectiveValues, isObjectType } from 'graphql';

/**
 * The coordinates of the fields that do not work with this gateway: those whose `@needs` in the SDL names one of the
 * operations, and every mutation if mutations are switched off.
 */
export const unavailableFieldsOf = (
  schema: GraphQLSchema,
  operations: ReadonlySet<unknown>,
  mutations: boolean,
): readonly string[] => {
  const needs = schema.getDirective('needs');
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  return types.flatMap((type) =>
    Object.values(type.getFields())
      .filter(({ astNode }) => {
        if (!mutations && type === schema.getMutationType()) return true;
        const values = needs && astNode && getDirectiveValues(needs, astNode);
        return operations.has(values?.operation);
      })
      .map(({ name }) => `${type.name}.${name}`),
  );
};

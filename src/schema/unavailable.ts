import { type GraphQLSchema, isObjectType, Kind } from 'graphql';

/**
 * The coordinates of the fields that do not work with this gateway: those whose `@needs` in the SDL names one of the
 * operations, and every mutation if mutations are switched off.
 */
export const unavailableFieldsOf = (
  schema: GraphQLSchema,
  operations: ReadonlySet<string>,
  mutations: boolean,
): readonly string[] => {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  return types.flatMap((type) =>
    Object.values(type.getFields())
      .filter(({ astNode }) => {
        if (!mutations && type === schema.getMutationType()) return true;
        const needs = astNode?.directives?.find(({ name }) => name.value === 'needs');
        const [operation] = needs?.arguments ?? [];
        return operation?.value.kind === Kind.STRING && operations.has(operation.value.value);
      })
      .map(({ name }) => `${type.name}.${name}`),
  );
};

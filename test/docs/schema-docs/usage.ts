import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';

/** What a table has a row for: a field, an argument, or a member of an input type. */
export type Member = GraphQLField<unknown, unknown> | GraphQLArgument | GraphQLInputField;

/** Fields of an object or interface type, members of an input type; of all others none. */
export const membersOf = (type: GraphQLNamedType): readonly Member[] =>
  isInputObjectType(type) || isObjectType(type) || isInterfaceType(type)
    ? Object.values<Member>(type.getFields())
    : [];

/** Type name → where it is used, each place once: `Pipe.source`, `AlertFilter.source`. */
export const usageOf = (
  types: readonly GraphQLNamedType[],
): ReadonlyMap<string, readonly string[]> => {
  const uses = types.flatMap((type) =>
    membersOf(type).flatMap((member) => {
      const used: readonly (GraphQLInputType | GraphQLOutputType)[] =
        'args' in member ? [member.type, ...member.args.map((arg) => arg.type)] : [member.type];
      return used.map((one) => ({
        name: getNamedType(one).name,
        place: `${type.name}.${member.name}`,
      }));
    }),
  );
  return new Map(
    [...Map.groupBy(uses, ({ name }) => name)].map(([name, group]) => [
      name,
      [...new Set(group.map(({ place }) => place))],
    ]),
  );
};

import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isInputObjectType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isSpecifiedScalarType,
} from 'graphql';

/** A field that agents may select, of a type that they can reach. */
export interface Entry {
  readonly type: GraphQLObjectType;
  readonly field: GraphQLField<unknown, unknown>;
  /** The arguments that work here. */
  readonly args: readonly GraphQLArgument[];
}

/** The part of the schema that is open to agents, and works with this gateway. */
export interface OpenSchema {
  /** The type of this name, in upper or lower case; undefined if the part does not have it. */
  readonly typeNamed: (name: string) => GraphQLNamedType | undefined;
  readonly entriesOf: (typeName: string) => readonly Entry[];
  readonly entries: readonly Entry[];
  readonly membersOf: (type: GraphQLInputObjectType) => readonly GraphQLInputField[];
  /** The fields that lead from Query to an object of the type. */
  readonly wayTo: (typeName: string) => readonly Entry[];
}

/** The input of the arguments that only gateways with a ClickStack below each service take. */
const ofStacks = { argument: 'ServiceIdInput', field: 'Service.dashboards' } as const;

export const needsArguments = ({ args }: Entry): boolean => args.some(isRequiredArgument);

const isList = ({ field }: Entry): boolean => isListType(getNullableType(field.type));

/**
 * The ways from Query to each type: short ones, rather by lists than by single objects, and through arguments only where
 * there is no other, since an agent that begins knows no identifier.
 */
const waysIn = (
  schema: GraphQLSchema,
  entriesOf: OpenSchema['entriesOf'],
): ReadonlyMap<string, readonly Entry[]> => {
  const ways = new Map<string, readonly Entry[]>([['Query', []]]);
  const isFree = (entry: Entry): boolean => !needsArguments(entry);
  for (const leads of [(entry: Entry) => isFree(entry) && isList(entry), isFree, () => true]) {
    // The iteration also visits what is added meanwhile.
    for (const [name, way] of ways) {
      for (const entry of entriesOf(name).filter(leads)) {
        const target = getNamedType(entry.field.type);
        const possible = isAbstractType(target) ? schema.getPossibleTypes(target) : [];
        for (const { name: of } of [target, ...possible]) {
          if (!ways.has(of)) ways.set(of, [...way, entry]);
        }
      }
    }
  }
  return ways;
};

/** @param closed the coordinates of what agents may not read, or what does not work */
export const openIn = (schema: GraphQLSchema, closed: ReadonlySet<string>): OpenSchema => {
  const hasStacks = !closed.has(ofStacks.field);
  const known = new Map<string, readonly Entry[]>();
  const entriesOf = (name: string): readonly Entry[] => {
    const type = schema.getType(name);
    if (!isObjectType(type)) return [];
    const entries =
      known.get(name) ??
      Object.values(type.getFields())
        .filter((field) => !closed.has(`${name}.${field.name}`))
        .map((field) => ({
          ...{ type, field },
          args: field.args.filter(
            (argument) =>
              !closed.has(`${name}.${field.name}(${argument.name}:)`) &&
              (hasStacks || getNamedType(argument.type).name !== ofStacks.argument),
          ),
        }));
    known.set(name, entries);
    return entries;
  };
  const membersOf: OpenSchema['membersOf'] = (type) =>
    Object.values(type.getFields()).filter(({ name }) => !closed.has(`${type.name}.${name}`));
  const ways = waysIn(schema, entriesOf);
  const entries = [...ways.keys()].flatMap(entriesOf);
  const given = entries.flatMap(({ args }) => args.map(({ type }) => getNamedType(type)));
  const members = given.filter(isInputObjectType).flatMap(membersOf);
  const types = [
    ...[...ways.keys()].flatMap((name) => schema.getType(name) ?? []),
    ...[...given, ...members.map(({ type }) => getNamedType(type))],
  ].filter((type) => !isSpecifiedScalarType(type));
  const byName = new Map(types.map((type) => [type.name.toLowerCase(), type]));
  return {
    typeNamed: (name) => byName.get(name.toLowerCase()),
    ...{ entriesOf, entries, membersOf },
    wayTo: (name) => ways.get(name) ?? [],
  };
};

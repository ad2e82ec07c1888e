import {
  type FieldNode,
  type GraphQLField,
  getArgumentValues,
  isNonNullType,
  Kind,
  type ValueNode,
} from 'graphql';

export type Arguments = Readonly<Record<string, unknown>>;
type Variables = Readonly<Record<string, unknown>>;

/** Coerces a field's arguments. Throws a GraphQLError for one that does not fit. */
export type ReadArguments = (variables: Variables) => Arguments;

const mentionsVariable = (node: ValueNode): boolean => {
  if (node.kind === Kind.VARIABLE) return true;
  if (node.kind === Kind.LIST) return node.values.some(mentionsVariable);
  return node.kind === Kind.OBJECT && node.fields.some(({ value }) => mentionsVariable(value));
};

const noArguments: Arguments = Object.freeze({});

const freeze = (value: unknown): void => {
  if (typeof value !== 'object' || value === null) return;
  Object.freeze(value);
  for (const member of Object.values(value)) freeze(member);
};

/** Reads the same values each time, once they have been read without an error; nobody can change them. */
const readOnce = (read: ReadArguments): ReadArguments => {
  let values: Arguments | undefined;
  return (variables) => {
    if (!values) {
      values = read(variables);
      freeze(values);
    }
    return values;
  };
};

/**
 * Prepares the reading of a field's arguments. Those that are variables, and all are given, are taken
 * over as they are: they were coerced with the variables. graphql-js does whatever is not as simple.
 */
export const argumentReader = (
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
): ReadArguments => {
  if (field.args.length === 0) return () => noArguments;
  const read: ReadArguments = (variables) => getArgumentValues(field, node, variables);
  const given = node.arguments ?? [];
  if (!given.some(({ value }) => mentionsVariable(value))) return readOnce(read);

  const simple = field.args.flatMap(({ name, type }) => {
    const value = given.find((argument) => argument.name.value === name)?.value;
    return value?.kind === Kind.VARIABLE
      ? [{ name, variable: value.name.value, nonNull: isNonNullType(type) }]
      : [];
  });
  if (simple.length < field.args.length) return read;
  return (variables) => {
    const values: Record<string, unknown> = {};
    for (const { name, variable, nonNull } of simple) {
      const value = Object.hasOwn(variables, variable) ? variables[variable] : undefined;
      if (value === undefined || (value === null && nonNull)) return read(variables);
      values[name] = value;
    }
    return values;
  };
};

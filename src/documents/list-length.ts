import { Kind, type ValueNode, type VariableDefinitionNode } from 'graphql';

/** Values of variables as a request brings them, not coerced. */
export type Values = Readonly<Record<string, unknown>>;

/** How many items a list argument has once it is coerced; 0 for one that is absent. */
export type LengthOf = (value: ValueNode | undefined) => number;

const ofLiteral = (value: ValueNode | undefined): number => {
  if (value === undefined || value.kind === Kind.NULL) return 0;
  // One item that is no list stands for a list of it.
  return value.kind === Kind.LIST ? value.values.length : 1;
};

const ofGiven = (value: unknown): number => {
  if (value === null) return 0;
  return Array.isArray(value) ? value.length : 1;
};

/**
 * Counts the items of list arguments.
 *
 * @param values of the variables; without them each variable counts as one item
 */
export const createLengthOf = (
  definitions: readonly VariableDefinitionNode[],
  values: Values | undefined,
): LengthOf => {
  const defaults = new Map(
    definitions.map(({ variable, defaultValue }) => [variable.name.value, defaultValue]),
  );
  return (value) => {
    if (value?.kind !== Kind.VARIABLE) return ofLiteral(value);
    if (!values) return 1;
    const name = value.name.value;
    const given = Object.hasOwn(values, name) ? values[name] : undefined;
    return given === undefined ? ofLiteral(defaults.get(name)) : ofGiven(given);
  };
};

import {
  type GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
} from 'graphql';

type Variables = Readonly<Record<string, unknown>>;
type Coerced = { readonly coerced: Variables } | { readonly errors: readonly GraphQLError[] };

/** Coerces the values that a request gives for an operation's variables. */
export type ReadVariables = (given: Variables) => Coerced;

const asTheyAre = new Set(['ID', 'String']);

/** The name of a variable that takes text as it is; most are identifiers. */
const nameOfText = ({ variable, type, defaultValue }: VariableDefinitionNode): string[] => {
  const named = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
  const isText = named.kind === Kind.NAMED_TYPE && asTheyAre.has(named.name.value);
  const { value } = variable.name;
  // An object takes this name for its prototype.
  return isText && !defaultValue && value !== '__proto__' ? [value] : [];
};

/** Prepares the coercion. Where every variable takes text and is given text, there is nothing to coerce. */
export const variableReader = (
  schema: GraphQLSchema,
  { variableDefinitions: definitions = [] }: OperationDefinitionNode,
  hideSuggestions: boolean,
): ReadVariables => {
  const options = { maxErrors: 50, hideSuggestions };
  const read: ReadVariables = (given) => {
    const { coerced, errors } = getVariableValues(schema, definitions, given, options);
    return errors ? { errors } : { coerced };
  };
  const names = definitions.flatMap(nameOfText);
  if (names.length < definitions.length) return read;
  return (given) => {
    const coerced: Record<string, unknown> = {};
    for (const name of names) {
      const value = Object.hasOwn(given, name) ? given[name] : undefined;
      if (typeof value !== 'string') return read(given);
      coerced[name] = value;
    }
    return { coerced };
  };
};

import {
  type DirectiveNode,
  type FieldNode,
  type GraphQLDirective,
  type GraphQLError,
  type GraphQLField,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  getDirectiveValues,
  getVariableValues,
  type OperationDefinitionNode,
  type SelectionNode,
  versionInfo,
} from 'graphql';

/** Coerced values of variables or arguments, by name. */
export type Values = Readonly<Record<string, unknown>>;

/** The values of variables as resolvers see them: `Values` with graphql 16, and with Yoga's executor always. */
export type Variables = GraphQLResolveInfo['variableValues'];

/** The values of variables as graphql 17 keeps them. */
interface WithSources {
  readonly sources: object;
  readonly coerced: Values;
}

type Coerced =
  | {
      readonly errors: readonly GraphQLError[];
      readonly variables?: undefined;
      readonly coerced?: undefined;
    }
  | { readonly variables: Variables; readonly coerced: Values; readonly errors?: undefined };

interface CoercionOptions {
  readonly maxErrors: number;
  readonly hideSuggestions?: boolean;
}

const hasSources = versionInfo.major >= 17;
/** Known by identity, since a caller may name variables `sources` and `coerced`. */
const withSources = new WeakSet<object>();

/** Coerces the variables of an operation. */
export const coerceVariables = (
  schema: GraphQLSchema,
  definitions: OperationDefinitionNode['variableDefinitions'],
  given: Values,
  options: CoercionOptions,
): Coerced => {
  const result: object = getVariableValues(schema, definitions ?? [], given, options);
  const { errors, coerced, variableValues } = result as {
    readonly errors?: readonly GraphQLError[];
    readonly coerced?: Values;
    readonly variableValues?: WithSources;
  };
  if (variableValues) {
    withSources.add(variableValues);
    return { variables: variableValues as never, coerced: variableValues.coerced };
  }
  return coerced ? { variables: coerced as never, coerced } : { errors: errors ?? [] };
};

/** Variables in the form that functions of this graphql take. */
const usable = (variables: Variables | Values): Variables =>
  (hasSources && !withSources.has(variables)
    ? { sources: {}, coerced: variables }
    : variables) as never;

/** The values of an operation without variables. */
export const noVariables: Variables = usable({});

/** The values of a field's or directive's arguments. Throws a GraphQLError if one does not fit. */
export const argumentsOf = (
  definition: GraphQLField<unknown, unknown> | GraphQLDirective,
  node: FieldNode | DirectiveNode,
  variables: Variables | Values,
): Values => getArgumentValues(definition, node, usable(variables));

/** The values of a directive's arguments; undefined if the node does not have the directive. */
export const directiveOf = (
  definition: GraphQLDirective,
  node: SelectionNode,
  variables: Variables | Values,
): Values | undefined => getDirectiveValues(definition, node, usable(variables));

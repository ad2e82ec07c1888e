import {
  type GraphQLError,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getVariableValues,
  type OperationDefinitionNode,
  versionInfo,
} from 'graphql';

/** Coerced values of variables or arguments, by name. */
export type Values = Readonly<Record<string, unknown>>;

/** The values of variables as executors keep them and resolvers see them: `Values` with graphql 16, and `WithSources` with 17. */
export type Variables = GraphQLResolveInfo['variableValues'];

interface WithSources {
  readonly sources: object;
  readonly coerced: Values;
}

/** Both forms of the same values. */
export interface Coerced {
  readonly variables: Variables;
  readonly coerced: Values;
  readonly errors?: undefined;
}

interface Refused {
  readonly errors: readonly GraphQLError[];
  readonly variables?: undefined;
  readonly coerced?: undefined;
}

interface CoercionOptions {
  readonly maxErrors: number;
  readonly hideSuggestions?: boolean;
}

/** Coerces the variables of an operation. */
export const coerceVariables = (
  schema: GraphQLSchema,
  definitions: OperationDefinitionNode['variableDefinitions'],
  given: Values,
  options: CoercionOptions,
): Coerced | Refused => {
  const result: object = getVariableValues(schema, definitions ?? [], given, options);
  const { errors, coerced, variableValues } = result as {
    readonly errors?: readonly GraphQLError[];
    readonly coerced?: Values;
    readonly variableValues?: WithSources;
  };
  if (variableValues) {
    return { variables: variableValues as never, coerced: variableValues.coerced };
  }
  return coerced ? { variables: coerced as never, coerced } : { errors: errors ?? [] };
};

/** The values of an operation without variables. */
export const noVariables: Variables = (
  versionInfo.major >= 17 ? { sources: {}, coerced: {} } : {}
) as never;

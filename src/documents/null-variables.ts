import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLArgument,
  type GraphQLDirective,
  GraphQLError,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getNullableType,
  getOperationAST,
  isAbstractType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  valueFromASTUntyped,
} from 'graphql';
import { type Coerced, coerceVariables, type Values } from '../graphql/variables.ts';
import { isObject } from '../is-object.ts';
import type { Asked } from './limits.ts';

type Types = readonly GraphQLObjectType[];
type Node = FieldNode | DirectiveNode;

/** Whether a variable is null. Because of a default, validation allows some nullable variables where null is not. */
const hasNull = ({ variableDefinitions = [] }: OperationDefinitionNode, given: Values): boolean =>
  variableDefinitions.some(({ variable: { name }, defaultValue }) =>
    Object.hasOwn(given, name.value)
      ? given[name.value] === null
      : defaultValue?.kind === Kind.NULL,
  );

/** The first place where null stands though its type does not allow it, and this type. */
const nullIn = (
  value: unknown,
  type: GraphQLInputType,
  place: string,
): { readonly place: string; readonly type: GraphQLInputType } | undefined => {
  if (value === null) return isNonNullType(type) ? { place, type } : undefined;
  const nullable = getNullableType(type);
  if (isListType(nullable) && Array.isArray(value)) {
    return value
      .map((item, index) => nullIn(item, nullable.ofType, `${place}[${index}]`))
      .find(Boolean);
  }
  if (isListType(nullable)) return nullIn(value, nullable.ofType, place);
  if (!isInputObjectType(nullable) || !isObject(value)) return undefined;
  const fields = Object.values(nullable.getFields());
  return fields
    .map((field) => nullIn(value[field.name], field.type, `${place}.${field.name}`))
    .find(Boolean);
};

/** The error for null in an argument. graphql-js quotes the whole literal, which may hold secrets. */
const nullFault = (
  { name, type }: GraphQLArgument,
  { arguments: given = [] }: Node,
  { coerced }: Coerced,
): GraphQLError | undefined => {
  const nodes = given.find((argument) => argument.name.value === name)?.value;
  const found = nodes && nullIn(valueFromASTUntyped(nodes, coerced), type, name);
  if (!found) return undefined;
  const { place } = found;
  const message =
    place === name
      ? `Argument "${name}" of non-null type "${type}" must not be null.`
      : `Argument "${name}" has an invalid value at "${place}"; Expected non-nullable type "${found.type}" not to be null.`;
  return new GraphQLError(message, { nodes });
};

/** The values of arguments. Throws the GraphQLError that an executor would report, in the same words with graphql 16 and 17. */
const valuesOf = (
  definition: GraphQLField<unknown, unknown> | GraphQLDirective,
  node: Node,
  given: Coerced,
): Values => {
  try {
    return getArgumentValues(definition, node, given.variables);
  } catch (error) {
    throw (
      definition.args.map((argument) => nullFault(argument, node, given)).find(Boolean) ?? error
    );
  }
};

const fieldOf = (schema: GraphQLSchema, type: GraphQLObjectType, name: string) => {
  const meta = [SchemaMetaFieldDef, TypeMetaFieldDef].find((field) => field.name === name);
  return meta && type === schema.getQueryType() ? meta : type.getFields()[name];
};

/** Checks the selections of an operation; throws the first GraphQLError that an executor would report. */
const createJudge = (schema: GraphQLSchema, document: DocumentNode, values: Coerced) => {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  }
  /** The types for which each selection set has been checked: once for each fragment, however often it is spread. */
  const judged = new Map<SelectionSetNode, Set<string>>();

  const typesOf = (type: GraphQLNamedType | undefined): Types => {
    if (isObjectType(type)) return [type];
    return isAbstractType(type) ? schema.getPossibleTypes(type) : [];
  };

  const isIncluded = ({ directives = [] }: SelectionNode): boolean => {
    const given = (name: string): Values | undefined => {
      const node = directives.find((directive) => directive.name.value === name);
      const definition = schema.getDirective(name);
      return node && definition ? valuesOf(definition, node, values) : undefined;
    };
    // In the order of executors: if `@skip` excludes a selection, its `@include` is not read.
    if (given('skip')?.if === true || given('include')?.if === false) return false;
    for (const { name } of directives) given(name.value);
    return true;
  };

  const judgeField = (node: FieldNode, types: Types): void => {
    const below = new Set<GraphQLObjectType>();
    for (const type of types) {
      const field = fieldOf(schema, type, node.name.value);
      if (!field) continue;
      valuesOf(field, node, values);
      for (const each of typesOf(getNamedType(field.type))) below.add(each);
    }
    if (node.selectionSet) judge(node.selectionSet, [...below]);
  };

  const judge = (set: SelectionSetNode, types: Types): void => {
    if (types.length === 0) return;
    const key = types
      .map(({ name }) => name)
      .sort()
      .join();
    const known = judged.get(set) ?? new Set();
    if (known.has(key)) return;
    judged.set(set, known.add(key));
    for (const node of set.selections) {
      if (!isIncluded(node)) continue;
      if (node.kind === Kind.FIELD) {
        judgeField(node, types);
        continue;
      }
      const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value);
      if (!fragment) continue;
      const { typeCondition, selectionSet } = fragment;
      const wanted = typeCondition && typesOf(schema.getType(typeCondition.name.value));
      judge(selectionSet, wanted ? types.filter((type) => wanted.includes(type)) : types);
    }
  };

  return ({ operation, selectionSet }: OperationDefinitionNode): void =>
    judge(selectionSet, typesOf(schema.getRootType(operation) ?? undefined));
};

/**
 * The error for a variable that is null where null is not allowed, in a valid document. An executor reports it only
 * when it reaches the field, after earlier mutations may have been carried out.
 *
 * Checks all fields that the variables include. It cannot know which objects will be null or which types they will
 * have, so it may refuse an operation for a field that would never be resolved.
 */
export const checkNullVariables = (
  schema: GraphQLSchema,
  { document, operationName, variableValues }: Asked,
): GraphQLError | undefined => {
  const operation = getOperationAST(document, operationName);
  const given = variableValues ?? {};
  if (!operation || !hasNull(operation, given)) return undefined;
  const values = coerceVariables(schema, operation.variableDefinitions, given, { maxErrors: 1 });
  // The executor reports errors of the variables themselves.
  if (values.errors) return undefined;
  try {
    createJudge(schema, document, values)(operation);
    return undefined;
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
};

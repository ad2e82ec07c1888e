import {
  coerceInputValue,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLArgument,
  type GraphQLDirective,
  GraphQLError,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getOperationAST,
  getVariableValues,
  isAbstractType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  valueFromASTUntyped,
} from 'graphql';
import type { Asked } from './limits.ts';

type Values = Readonly<Record<string, unknown>>;
type Types = readonly GraphQLObjectType[];
type Node = FieldNode | DirectiveNode;

/** Whether a variable is null. Validation lets some of these stand where null is not allowed, because of a default. */
const hasNull = ({ variableDefinitions = [] }: OperationDefinitionNode, given: Values): boolean =>
  variableDefinitions.some(({ variable: { name }, defaultValue }) =>
    Object.hasOwn(given, name.value)
      ? given[name.value] === null
      : defaultValue?.kind === Kind.NULL,
  );

/**
 * The error for a literal that has a null within. graphql-js does not say where, but quotes the whole literal, secrets included.
 */
const faultWithin = (
  { name, type }: GraphQLArgument,
  { arguments: given = [] }: Node,
  variables: Values,
): GraphQLError => {
  const nodes = given.find((argument) => argument.name.value === name)?.value;
  let fault = '';
  coerceInputValue(nodes && valueFromASTUntyped(nodes, variables), type, (path, _, { message }) => {
    const keys = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`));
    fault ||= ` at "${name}${keys.join('')}"; ${message}`;
  });
  return new GraphQLError(`Argument "${name}" has an invalid value${fault}`, {
    nodes: nodes ?? null,
  });
};

/** The values of arguments. Throws the GraphQLError that an executor would fail with. */
const valuesOf = (
  definition: GraphQLField<unknown, unknown> | GraphQLDirective,
  node: Node,
  variables: Values,
): Values => {
  try {
    return getArgumentValues(definition, node, variables);
  } catch (error) {
    const words = error instanceof Error ? error.message : '';
    const name = /^Argument "(\w+)" has invalid value /.exec(words)?.[1];
    const argument = definition.args.find((each) => each.name === name);
    throw argument ? faultWithin(argument, node, variables) : error;
  }
};

const fieldOf = (schema: GraphQLSchema, type: GraphQLObjectType, name: string) => {
  const meta = [SchemaMetaFieldDef, TypeMetaFieldDef].find((field) => field.name === name);
  return meta && type === schema.getQueryType() ? meta : type.getFields()[name];
};

/** Judges what an operation selects; throws the GraphQLError that some of it fails with. */
const createJudge = (schema: GraphQLSchema, document: DocumentNode, variables: Values) => {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  }
  /** By selection set the types that it has been judged for: each fragment once, however often it is spread. */
  const judged = new Map<SelectionSetNode, Set<string>>();

  const typesOf = (type: GraphQLNamedType | undefined): Types => {
    if (isObjectType(type)) return [type];
    return isAbstractType(type) ? schema.getPossibleTypes(type) : [];
  };

  const isIncluded = ({ directives = [] }: SelectionNode): boolean => {
    const given = (name: string): Values | undefined => {
      const node = directives.find((directive) => directive.name.value === name);
      const definition = schema.getDirective(name);
      return node && definition ? valuesOf(definition, node, variables) : undefined;
    };
    // In this order, as executors do: what is left out has no further condition.
    if (given('skip')?.if === true || given('include')?.if === false) return false;
    for (const { name } of directives) given(name.value);
    return true;
  };

  const judgeField = (node: FieldNode, types: Types): void => {
    const below = new Set<GraphQLObjectType>();
    for (const type of types) {
      const field = fieldOf(schema, type, node.name.value);
      if (!field) continue;
      valuesOf(field, node, variables);
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
 * The error that an operation of a valid document fails with because a variable is null where null is not allowed. An
 * executor meets it only when it comes to the field, after changes may have been made.
 *
 * All fields count that the variables let in. Whether a field will have a value, and of which type, is not known
 * before: so a field is refused too that would not have been resolved for that reason.
 */
export const checkNullVariables = (
  schema: GraphQLSchema,
  { document, operationName, variableValues }: Asked,
): GraphQLError | undefined => {
  const operation = getOperationAST(document, operationName);
  const given = variableValues ?? {};
  if (!operation || !hasNull(operation, given)) return undefined;
  const definitions = operation.variableDefinitions ?? [];
  const { coerced } = getVariableValues(schema, definitions, given, { maxErrors: 1 });
  // What is wrong with a variable by itself, the executor tells.
  if (!coerced) return undefined;
  try {
    createJudge(schema, document, coerced)(operation);
    return undefined;
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
};

import {
  type ASTNode,
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getOperationAST,
  isInputObjectType,
  Kind,
  OperationTypeNode,
  type ValidationRule,
} from 'graphql';
import { collectFields } from '../graphql/collect.ts';
import { coerceVariables } from '../graphql/variables.ts';
import { isObject } from '../is-object.ts';
import type { Asked } from './limits.ts';

/** The error for a mutation where mutations are switched off. */
export const mutationsOff = (nodes?: ASTNode): GraphQLError =>
  new GraphQLError('This gateway carries out no mutations: its operator has switched them off.', {
    ...(nodes && { nodes }),
    extensions: { code: 'MUTATIONS_OFF', setting: 'MUTATIONS' },
  });

/** Whether a field can be a dry run; with a variable, only its value tells whether it is. */
const mayBeDryRun = (
  { arguments: given = [] }: FieldNode,
  field: GraphQLField<unknown, unknown> | null | undefined,
): boolean => {
  const type = getNamedType(field?.args.find(({ name }) => name === 'input')?.type);
  if (!isInputObjectType(type) || !type.getFields().dryRun) return false;
  const input = given.find(({ name }) => name.value === 'input')?.value;
  if (input?.kind !== Kind.OBJECT) return input?.kind === Kind.VARIABLE;
  const value = input.fields.find(({ name }) => name.value === 'dryRun')?.value;
  return value?.kind === Kind.BOOLEAN ? value.value : value?.kind === Kind.VARIABLE;
};

/** Refuses each mutation that cannot be a dry run. */
export const noMutationRule: ValidationRule = (context) => ({
  Field: (node) => {
    if (context.getParentType() !== context.getSchema().getMutationType()) return undefined;
    if (!mayBeDryRun(node, context.getFieldDef())) context.reportError(mutationsOff(node));
    return false;
  },
});

/** Whether each field of an operation is a mutation that only tells what it would do. */
export const isDryRun = (
  schema: GraphQLSchema,
  { document, operationName, variableValues }: Asked,
): boolean => {
  const operation = getOperationAST(document, operationName);
  const type = schema.getMutationType();
  if (operation?.operation !== OperationTypeNode.MUTATION || !type) return false;
  const { variableDefinitions, selectionSet } = operation;
  const given = variableValues ?? {};
  const { variables } = coerceVariables(schema, variableDefinitions, given, { maxErrors: 1 });
  if (!variables) return false;
  const fragments = Object.fromEntries(
    document.definitions.flatMap((each) =>
      each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each]] : [],
    ),
  );
  const isDry = (node: FieldNode): boolean => {
    const field = type.getFields()[node.name.value];
    const { input } = field ? getArgumentValues(field, node, variables) : {};
    return isObject(input) && input.dryRun === true;
  };
  try {
    const scope = { schema, fragments, variableValues: variables };
    const fields = collectFields(type, [selectionSet], scope);
    return [...fields.values()].every(([node]) => isDry(node));
  } catch (error) {
    // The executor reports a variable that is null where it must not be.
    if (error instanceof GraphQLError) return false;
    throw error;
  }
};

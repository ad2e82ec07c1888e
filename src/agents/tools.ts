import { readdirSync, readFileSync } from 'node:fs';
import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isScalarType,
  Kind,
  NoUnusedVariablesRule,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  print,
  TypeInfo,
  typeFromAST,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type Confirmation, confirmationsOf } from './confirm.ts';
import type { JsonObject } from './protocol.ts';
import { inStacks, type Placed, type Stacks } from './stacks.ts';
import { withVariant } from './variants.ts';
import { asWaiting } from './wait.ts';
import { withWords } from './words.ts';

/** What every tool has. */
export interface ListedTool {
  readonly name: string;
  /** The tool's entry in `tools/list`. */
  readonly listed: JsonObject;
  /** The arguments as JSON Schema, by name, and the names of the required ones. */
  readonly properties: Readonly<Record<string, JsonObject>>;
  readonly required: readonly string[];
  /** The kinds of the arguments' values, as far as no operation checks them. */
  readonly types: Readonly<Record<string, string>>;
}

/** An operation that an agent may call. */
export interface Tool extends ListedTool {
  readonly kind: 'operation';
  /** The text of the operation, and its name. */
  readonly text: string;
  readonly operationName: string;
  readonly isWrite: boolean;
  /** The arguments that make an answer smaller. */
  readonly narrowing: readonly string[];
  /** Whether the gateway finds the organization if a call names none. */
  readonly findsOrganization: boolean;
  /** The arguments that are meant if a call does not give them. */
  readonly defaults: JsonObject;
  /** For a write: reads the thing that the write changes. */
  readonly target: DocumentNode | undefined;
  /** What a write asks for besides the variables of its operation. */
  readonly confirms: readonly Confirmation[];
  /** The tool that a call means, if its arguments decide that. */
  readonly variantOf?: (given: JsonObject) => Tool;
}

/** A tool whose operation the agent writes. It takes the same way as every other operation. */
export interface QueryTool extends ListedTool {
  readonly kind: 'query';
  readonly isWrite: false;
  readonly narrowing: Tool['narrowing'];
  /** Why an agent may not execute a document, which need not be valid; undefined if it may. */
  readonly refusalOf: (document: DocumentNode, given: JsonObject) => GraphQLError | undefined;
}

/** A tool that is answered without an operation. */
export interface LocalTool extends ListedTool {
  readonly kind: 'local';
  readonly answer: (given: JsonObject) => JsonObject;
}

export type Tools = ReadonlyMap<string, Tool | QueryTool | LocalTool>;

const folder = new URL('../../operations/agents/', import.meta.url);

const readFiles = (): readonly DocumentNode[] =>
  readdirSync(folder)
    .sort()
    .map((name) => parse(readFileSync(new URL(name, folder), 'utf8'), { noLocation: true }));

/** Writes that neither stop nor replace anything. All others count as destructive. */
const harmless = new Set(['start_pipe', 'start_service', 'wake_service']);

/** The write that has an effect each time it is repeated. */
const unrepeatable = 'resync_pipe';

/** Tools that are another operation if a call gives this argument. */
const variants = [
  ['wait_for', 'pipeId', 'wait_for_pipe'],
  ['list_backups', 'serviceId', 'list_backups_of_service'],
] as const;

const onlyOrganization = 'If several.';

/** `StopPipe` as `stop_pipe`. */
const snakeCased = (name: string): string =>
  name.replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

const jsonTypes: Readonly<Record<string, string>> = {
  Int: 'integer',
  SafeInt: 'integer',
  Float: 'number',
  Boolean: 'boolean',
};

/** A type as JSON Schema. The variables of tools are scalars, enums, and lists of these. */
const jsonSchemaOf = (type: GraphQLInputType): JsonObject => {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return { type: 'array', items: jsonSchemaOf(nullable.ofType) };
  const named = getNamedType(nullable);
  if (isEnumType(named)) {
    return { type: 'string', enum: named.getValues().map(({ name }) => name) };
  }
  if (isScalarType(named)) return { type: jsonTypes[named.name] ?? 'string' };
  throw new TypeError(`A variable of a tool is a scalar or an enum, not ${named.name}`);
};

/** A document without the fields that do not work here; undefined if too few are left. */
const withoutFields = (
  schema: GraphQLSchema,
  document: DocumentNode,
  unavailable: ReadonlySet<string>,
): DocumentNode | undefined => {
  const types = new TypeInfo(schema);
  const isMissing = (field: string): boolean =>
    unavailable.has(`${types.getParentType()?.name}.${field}`);
  const left = visit(
    document,
    visitWithTypeInfo(types, {
      Field: {
        enter: ({ name }) => (isMissing(name.value) ? null : undefined),
        leave: ({ selectionSet }) => (selectionSet?.selections.length === 0 ? null : undefined),
      },
    }),
  );
  const [operation] = left.definitions;
  const isLeft =
    operation?.kind === Kind.OPERATION_DEFINITION && operation.selectionSet.selections.length > 0;
  // What a tool is for takes all of its variables.
  const isWhole = isLeft && validate(schema, left, [NoUnusedVariablesRule]).length === 0;
  return isWhole ? left : undefined;
};

/** The text without descriptions: a mutation with strings counts as one that may hold a secret, and is not cached. */
const textOf = (document: DocumentNode): string =>
  print(
    visit(document, {
      OperationDefinition: (node) => ({ ...node, description: undefined }),
      VariableDefinition: (node) => ({ ...node, description: undefined }),
    }),
  );

const described = (description: { readonly value: string } | undefined): string =>
  (description?.value ?? '').replaceAll(/\s+/g, ' ').trim();

const toTool = (
  schema: GraphQLSchema,
  source: OperationDefinitionNode,
  target: DocumentNode | undefined,
  unavailable: ReadonlySet<string>,
  stacks: Stacks | undefined,
): Tool | undefined => {
  const placed = (whole: DocumentNode): Placed | undefined => {
    const [fault] = validate(schema, whole);
    if (fault) throw fault;
    const document = withoutFields(schema, whole, unavailable);
    if (!document) return undefined;
    return stacks ? inStacks(schema, document) : { document, takesService: false };
  };
  const { document, takesService = false } =
    placed({ kind: Kind.DOCUMENT, definitions: [source] }) ?? {};
  const [operation] = document?.definitions ?? [];
  if (!document || operation?.kind !== Kind.OPERATION_DEFINITION) return undefined;
  const defaults: JsonObject = takesService ? { ...stacks?.service } : {};

  const operationName = operation.name?.value ?? '';
  const name = snakeCased(operationName);
  const isWrite = operation.operation === OperationTypeNode.MUTATION;
  const findsOrganizations = !unavailable.has('Query.organizations');
  const required: string[] = [];
  const narrowing: string[] = [];
  const properties: Record<string, JsonObject> = {};
  let findsOrganization = false;
  for (const { variable, type, description } of operation.variableDefinitions ?? []) {
    const given = typeFromAST(schema, type) as GraphQLInputType;
    const argument = variable.name.value;
    const fallback = argument === 'organizationId' ? undefined : defaults[argument];
    properties[argument] = {
      ...withWords(name, argument, jsonSchemaOf(given)),
      description: described(description),
      ...(fallback !== undefined && { default: fallback }),
    };
    if (argument === 'organizationId' && findsOrganizations) {
      findsOrganization = true;
      properties[argument] = { type: 'string', description: onlyOrganization };
    } else if (!isNonNullType(given)) narrowing.push(argument);
    else if (!(argument in defaults)) required.push(argument);
  }
  const confirms = target ? confirmationsOf(target) : [];
  for (const { argument, whose } of confirms) {
    const description = `Present name of the ${whose}, or its id.`;
    properties[argument] = { type: 'string', description };
    required.push(argument);
  }
  const hints = isWrite
    ? {
        destructiveHint: !harmless.has(name),
        idempotentHint: name !== unrepeatable,
        openWorldHint: false,
      }
    : {};
  return {
    ...{ kind: 'operation', name, text: textOf(document), operationName, isWrite, confirms },
    target: target && placed(target)?.document,
    ...{ properties, required, types: {}, narrowing },
    ...{ findsOrganization, defaults },
    listed: {
      name,
      description: described(operation.description),
      inputSchema: {
        type: 'object',
        properties,
        ...(required.length > 0 && { required }),
        additionalProperties: false,
      },
      annotations: { readOnlyHint: !isWrite, ...hints },
    },
  };
};

const operationsIn = ({ definitions }: DocumentNode): readonly OperationDefinitionNode[] =>
  definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);

/**
 * The operations of operations/agents/ as tools, by name. In a file with mutations, the query reads the thing that each
 * mutation changes. Tools and fields that do not work with this gateway are left out.
 *
 * @param unavailable the coordinates of the fields that do not work
 * @param stacks undefined if dashboards and alerts are not in the ClickStack of a service
 */
export const readTools = (
  schema: GraphQLSchema,
  mayWrite: boolean,
  unavailable: readonly string[],
  stacks: Stacks | undefined,
): Tools => {
  const missing = new Set(unavailable);
  const tools = readFiles().flatMap((file): readonly (Tool | undefined)[] => {
    const operations = operationsIn(file);
    const writes = operations.filter(({ operation }) => operation === OperationTypeNode.MUTATION);
    if (writes.length === 0) {
      return operations.map((operation) => toTool(schema, operation, undefined, missing, stacks));
    }
    if (!mayWrite) return [];
    const definitions = operations.filter((operation) => !writes.includes(operation));
    const target: DocumentNode = { kind: Kind.DOCUMENT, definitions };
    return writes.map((write) => toTool(schema, write, target, missing, stacks));
  });
  const all = new Map(
    tools.flatMap((tool) => (tool ? [[tool.name, asWaiting(schema, tool)] as const] : [])),
  );
  for (const [name, argument, second] of variants) {
    const [tool, variant] = [all.get(name), all.get(second)];
    if (tool && variant) all.set(name, withVariant(tool, variant, argument));
    all.delete(second);
  }
  return all;
};

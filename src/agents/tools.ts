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
  type VariableDefinitionNode,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { extras } from './author.ts';
import { type Confirmation, confirmationsOf } from './confirm.ts';
import type { JsonObject, ListedTool } from './protocol.ts';
import { inStacks, type Placed, type Stacks } from './stacks.ts';
import { merged } from './variants.ts';
import { asWaiting } from './wait.ts';
import { withWords } from './words.ts';

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
  /** For a write: reads what its plan says about other things. */
  readonly effects: DocumentNode | undefined;
  /** Whether it changes something only with the id of a plan. */
  readonly needsPlan: boolean;
  /** The argument that identifies the thing. */
  readonly identifier: string;
  /** What a write asks for besides the variables of its operation. */
  readonly confirms: readonly Confirmation[];
  /** The tool that a call means, where its arguments decide that. */
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

interface ToolFile {
  readonly document: DocumentNode;
  /** Whether its writes need a plan, and so `MCP=author`. */
  readonly isOfAuthors: boolean;
}

const readFiles = (): readonly ToolFile[] =>
  readdirSync(folder)
    .sort()
    .map((name) => ({
      document: parse(readFileSync(new URL(name, folder), 'utf8'), { noLocation: true }),
      isOfAuthors: name.startsWith('author-'),
    }));

const creating = ['create_alert', 'create_dashboard', 'copy_dashboard'];

/** Writes that neither stop nor replace anything. All others count as destructive. */
const harmless = new Set(['start_pipe', 'start_service', 'wake_service', ...creating]);

/** Writes that have an effect each time they are repeated. */
const unrepeatable = new Set(['resync_pipe', ...creating]);

/** Tools of several operations: a call means the first one whose thing it identifies, else the last one. */
const ofSeveral = [
  ['wait_for', ['wait_for_pipe', 'wait_for']],
  ['list_backups', ['list_backups_of_service', 'list_backups']],
  ['rename', ['rename_pipe', 'rename_dashboard', 'rename_alert', 'rename_service']],
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

/** A type as JSON Schema. Of an object only the description tells the members: whole schemas would fill the list. */
const jsonSchemaOf = (type: GraphQLInputType): JsonObject => {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return { type: 'array', items: jsonSchemaOf(nullable.ofType) };
  const named = getNamedType(nullable);
  if (isEnumType(named)) {
    return { type: 'string', enum: named.getValues().map(({ name }) => name) };
  }
  return { type: isScalarType(named) ? (jsonTypes[named.name] ?? 'string') : 'object' };
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

/** The operations of a tool. */
interface Source {
  readonly operation: OperationDefinitionNode;
  readonly target?: DocumentNode | undefined;
  readonly effects?: DocumentNode | undefined;
  readonly needsPlan?: boolean;
}

const planId: JsonObject = { type: 'string', description: 'From the plan, to carry it out.' };
const planOnly: JsonObject = { type: 'boolean', description: 'True: only tell what it would do.' };

/** The arguments of a write that no operation has. */
const ownOf = (name: string, needsPlan: boolean): Readonly<Record<string, JsonObject>> => ({
  ...(extras[name]?.properties ?? {}),
  ...(needsPlan ? { planId } : { planOnly }),
});

const selectionsOf = (document: DocumentNode | undefined): number => {
  const [operation] = document?.definitions ?? [];
  return operation?.kind === Kind.OPERATION_DEFINITION
    ? operation.selectionSet.selections.length
    : 0;
};

/** The variables of a tool's operations, each once. */
const variablesOf = (documents: readonly (DocumentNode | undefined)[]) => {
  const all = documents.flatMap((document) => {
    const [operation] = document?.definitions ?? [];
    const isOperation = operation?.kind === Kind.OPERATION_DEFINITION;
    return isOperation ? (operation.variableDefinitions ?? []) : [];
  });
  const isFirst = ({ variable: { name } }: VariableDefinitionNode, at: number): boolean =>
    all.findIndex(({ variable }) => variable.name.value === name.value) === at;
  return all.filter(isFirst);
};

const toTool = (
  schema: GraphQLSchema,
  source: Source,
  unavailable: ReadonlySet<string>,
  stacks: Stacks | undefined,
): Tool | undefined => {
  const { needsPlan = false } = source;
  const placed = (whole: DocumentNode): Placed | undefined => {
    const [fault] = validate(schema, whole);
    if (fault) throw fault;
    const document = withoutFields(schema, whole, unavailable);
    if (!document) return undefined;
    return stacks ? inStacks(schema, document) : { document, takesService: false };
  };
  const { document, takesService = false } =
    placed({ kind: Kind.DOCUMENT, definitions: [source.operation] }) ?? {};
  const target = source.target && placed(source.target)?.document;
  // Without all that is read before, a name could not be confirmed, and nobody would know whether a plan still holds.
  if (selectionsOf(target) < selectionsOf(source.target)) return undefined;
  const [operation] = document?.definitions ?? [];
  if (!document || operation?.kind !== Kind.OPERATION_DEFINITION) return undefined;
  const operationName = operation.name?.value ?? '';
  const name = snakeCased(operationName);
  // A default would decide in silence where something is created.
  const hasDefault = takesService && !creating.includes(name);
  const defaults: JsonObject = hasDefault ? { ...stacks?.service } : {};
  const isWrite = operation.operation === OperationTypeNode.MUTATION;
  const findsOrganizations = !unavailable.has('Query.organizations');
  const required: string[] = [];
  const narrowing: string[] = [];
  const properties: Record<string, JsonObject> = {};
  let findsOrganization = false;
  const filled = extras[name]?.filled ?? [];
  for (const { variable, type, description } of variablesOf(
    needsPlan ? [document, target] : [document],
  )) {
    const given = typeFromAST(schema, type) as GraphQLInputType;
    const argument = variable.name.value;
    if (filled.includes(argument)) continue;
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
  const own = isWrite ? ownOf(name, needsPlan) : {};
  Object.assign(properties, own);
  required.push(...Object.keys(extras[name]?.properties ?? {}));
  const confirms = target && !needsPlan ? confirmationsOf(target) : [];
  for (const { argument, whose } of confirms) {
    const description = `Present name of the ${whose}, or its id.`;
    properties[argument] = { type: 'string', description };
    required.push(argument);
  }
  const isIdentifier = (argument: string): boolean => argument.endsWith('Id') && !(argument in own);
  const hints = isWrite
    ? {
        destructiveHint: !harmless.has(name),
        idempotentHint: !unrepeatable.has(name),
      }
    : {};
  return {
    ...{ kind: 'operation', name, description: described(operation.description) },
    ...{ properties, required, own: Object.keys(own) },
    annotations: { readOnlyHint: !isWrite, ...hints },
    ...{ text: textOf(document), operationName, isWrite, confirms, narrowing },
    ...{ target, needsPlan, effects: source.effects && placed(source.effects)?.document },
    identifier: Object.keys(properties).findLast(isIdentifier) ?? '',
    ...{ findsOrganization, defaults },
  };
};

const operationsIn = ({ definitions }: DocumentNode): readonly OperationDefinitionNode[] =>
  definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);

/**
 * The operations of a file for each of its tools. In a file with mutations, the query reads the thing that each mutation
 * changes; `<Mutation>Target` is for one of several mutations, and `<Mutation>Effects` reads what its plan says about other
 * things.
 */
const sourcesIn = ({ document, isOfAuthors }: ToolFile): readonly Source[] => {
  const operations = operationsIn(document);
  const writes = operations.filter(({ operation }) => operation === OperationTypeNode.MUTATION);
  if (writes.length === 0) return operations.map((operation) => ({ operation }));
  const reads = operations.filter((operation) => !writes.includes(operation));
  const find = (isFound: (name: string) => boolean): DocumentNode | undefined => {
    const definitions = reads.filter(({ name }) => isFound(name?.value ?? ''));
    return definitions.length > 0 ? { kind: Kind.DOCUMENT, definitions } : undefined;
  };
  const names = writes.map(({ name }) => name?.value);
  const isShared = (name: string): boolean =>
    name.endsWith('Target') && !names.includes(name.replace(/Target$/, ''));
  return writes.map((operation) => {
    const name = operation.name?.value;
    const target = find((each) => each === `${name}Target`) ?? find(isShared);
    const effects = find((each) => each === `${name}Effects`);
    return { operation, target, effects, needsPlan: isOfAuthors };
  });
};

/** How much agents may do. */
type Tier = 'read' | 'write' | 'author';

/**
 * The operations of operations/agents/ as tools, by name. Tools and fields that do not work with this gateway are left out.
 *
 * @param unavailable the coordinates of the fields that do not work
 * @param stacks undefined if dashboards and alerts are not in the ClickStack of a service
 */
export const readTools = (
  schema: GraphQLSchema,
  tier: Tier,
  unavailable: readonly string[],
  stacks: Stacks | undefined,
): Tools => {
  const missing = new Set(unavailable);
  const may = ({ operation: { operation }, needsPlan = false }: Source): boolean =>
    operation !== OperationTypeNode.MUTATION || (needsPlan ? tier === 'author' : tier !== 'read');
  const tools = readFiles()
    .flatMap(sourcesIn)
    .filter(may)
    .flatMap((source) => toTool(schema, source, missing, stacks) ?? []);
  const all = new Map(tools.map((tool) => [tool.name, asWaiting(schema, tool)]));
  for (const [name, parts] of ofSeveral) {
    const tool = merged(
      name,
      parts.flatMap((part) => all.get(part) ?? []),
    );
    for (const part of parts) if (part !== name) all.delete(part);
    if (tool) all.set(name, tool);
  }
  return all;
};

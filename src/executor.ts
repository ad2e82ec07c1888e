import {
  assertValidSchema,
  type DocumentNode,
  type ExecutionResult,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { executeOperation } from './execution/execute.ts';
import { type OperationPlan, Run } from './execution/run.ts';
import { type ReadVariables, variableReader } from './execution/variables.ts';
import { mayHoldSecrets } from './written-strings.ts';

/** What an execution depends on beside the schema. */
export interface Execution {
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
  readonly variableValues?: Readonly<Record<string, unknown>> | null | undefined;
  readonly contextValue?: unknown;
  /** Whether the result goes to `printResult` alone: lists in it may then be transcripts. */
  readonly toBePrinted?: boolean;
}

export interface ExecutorOptions {
  /** How many objects a selection meets before it is compiled: what is asked once is not worth it. */
  readonly projectAfter?: number;
  /** Whether errors keep to themselves what else the schema has. */
  readonly hideSuggestions?: boolean;
}

/**
 * Executes a validated document, and gives a promise only where something is awaited. What fails is in
 * the result, in the words of graphql-js.
 */
export type Execute = (execution: Execution) => ExecutionResult | Promise<ExecutionResult>;

/** An operation with what reads its variables. */
interface PreparedOperation {
  readonly node: OperationDefinitionNode;
  readonly read: ReadVariables;
}

/** A document, taken apart once. */
interface Prepared {
  /** Tells apart the documents whose plans are kept. */
  readonly id: number;
  readonly operations: readonly PreparedOperation[];
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  /** The variables that `@skip` and `@include` depend on. */
  readonly conditions: readonly string[];
  /** Whether its plans may be kept. */
  readonly mayBeKept: boolean;
}

const conditionsOf = (document: DocumentNode): readonly string[] => {
  const names = new Set<string>();
  visit(document, {
    Directive: ({ arguments: given = [] }) => {
      for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return [...names];
};

/** Fields that all plans may hold together, and one plan alone: text of 2 KB can select a million. */
const maxPlannedFields = 200_000;
const maxPlannedFieldsOfOne = 6_000;

/** Text that takes as much memory as a planned field, being parsed: a plan keeps its document. */
const textOfOneField = 20;

const sizeOf = ({ size, operation }: OperationPlan): number =>
  size + 1 + Math.ceil((operation.loc?.source.body.length ?? 0) / textOfOneField);

const operationOf = ({ operations }: Prepared, name: string | null | undefined) => {
  if (name !== null && name !== undefined) {
    const found = operations.find(({ node }) => node.name?.value === name);
    return found ?? new GraphQLError(`Unknown operation named "${name}".`);
  }
  const [first] = operations;
  if (!first) return new GraphQLError('Must provide an operation.');
  return operations.length === 1
    ? first
    : new GraphQLError('Must provide operation name if query contains multiple operations.');
};

const refuseUnknown = (schema: GraphQLSchema): void => {
  assertValidSchema(schema);
  if (schema.getSubscriptionType()) throw new TypeError('Subscriptions cannot be executed');
  for (const type of Object.values(schema.getTypeMap())) {
    if (isObjectType(type) && type.isTypeOf) {
      throw new TypeError(
        `${type.name}.isTypeOf would not be called: use __typename or resolveType`,
      );
    }
  }
};

/**
 * The one executor, whichever way a request came in: what graphql-js does, planned once for each
 * operation. A plan holds everything that depends on the document and on the variables of `@skip` and
 * `@include` alone, and is made level by level, as values arrive that need it.
 *
 * @throws TypeError for a schema with subscriptions or `isTypeOf`
 */
export const createExecutor = (
  schema: GraphQLSchema,
  { projectAfter = 200, hideSuggestions = false }: ExecutorOptions = {},
): Execute => {
  refuseUnknown(schema);
  const documents = new WeakMap<DocumentNode, Prepared>();
  let lastId = 0;
  const plans = new LRUCache<OperationPlan['key'], OperationPlan>({
    maxSize: maxPlannedFields,
    maxEntrySize: maxPlannedFieldsOfOne,
    sizeCalculation: sizeOf,
  });
  const keepPlan = (plan: OperationPlan): void => {
    plans.set(plan.key, plan);
  };

  const prepare = (document: DocumentNode): Prepared => {
    const known = documents.get(document);
    if (known) return known;
    const operations: PreparedOperation[] = [];
    const fragments: Record<string, FragmentDefinitionNode> = Object.create(null);
    for (const node of document.definitions) {
      if (node.kind === Kind.OPERATION_DEFINITION) {
        operations.push({ node, read: variableReader(schema, node, hideSuggestions) });
      }
      if (node.kind === Kind.FRAGMENT_DEFINITION) fragments[node.name.value] = node;
    }
    lastId += 1;
    const prepared = {
      id: lastId,
      operations,
      fragments,
      conditions: conditionsOf(document),
      mayBeKept: !mayHoldSecrets(document),
    };
    documents.set(document, prepared);
    return prepared;
  };

  return ({ document, operationName, variableValues, contextValue, toBePrinted = false }) => {
    const prepared = prepare(document);
    const found = operationOf(prepared, operationName);
    if (found instanceof GraphQLError) return { errors: [found] };
    const operation = found.node;
    const variables = found.read(variableValues ?? {});
    if ('errors' in variables) return variables;
    const { coerced } = variables;
    const { id, fragments, conditions } = prepared;
    const key =
      conditions.length === 0
        ? operation
        : `${id} ${operation.name?.value ?? ''} ${conditions.map((name) => coerced[name])}`;
    const keep = prepared.mayBeKept ? keepPlan : undefined;
    const plan = plans.get(key) ?? { key, keep, operation, fragments, root: undefined, size: 0 };
    return executeOperation(
      new Run(schema, plan, coerced, contextValue, projectAfter, toBePrinted),
    );
  };
};

import {
  assertValidSchema,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { coerceVariables } from '../graphql/variables.ts';
import type { Turns } from '../yield.ts';
import { executeOperation } from './execute.ts';
import { createIntrospectionRoom } from './introspection.ts';
import type { OperationPlan } from './plan.ts';
import { Run } from './run.ts';

export interface ExecutorOptions {
  /** Whether errors suggest no other names of the schema. */
  readonly hideSuggestions?: boolean;
  /** Whether a document and its plans may be cached. If absent, all may. */
  readonly mayKeep?: (document: DocumentNode) => boolean;
  /** Finds the turns of the operation's request, from the context. */
  readonly turnsOf?: (contextValue: unknown) => Turns | undefined;
  /** The most characters of a response, errors included; close to the length of its JSON. */
  readonly maxSize?: number;
}

export type Execution = Pick<
  ExecutionArgs,
  'document' | 'operationName' | 'variableValues' | 'rootValue' | 'contextValue'
>;

/** Executes a validated document. Returns a promise only if a value is awaited. Errors are in the result. */
export type Execute = (execution: Execution) => ExecutionResult | Promise<ExecutionResult>;

/** A document, analysed once. */
interface Prepared {
  /** Part of the keys of the document's plans. */
  readonly id: number;
  readonly operations: readonly OperationDefinitionNode[];
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  /** The variables on which `@skip` and `@include` depend. */
  readonly conditions: readonly string[];
  readonly mayKeep: boolean;
}

interface KeptPlan extends OperationPlan {
  /** The number of planned fields, which counts in the limit of all plans. */
  size: number;
}

/** The most fields of all cached plans together, and of one plan. */
const maxFields = 200_000;
const maxFieldsOfOne = 6_000;

/** A cached plan keeps its document: this many characters take as much memory as a planned field. */
const charactersOfOneField = 20;

const conditionsOf = (document: DocumentNode): readonly string[] => {
  const names = new Set<string>();
  visit(document, {
    Directive: ({ name, arguments: given = [] }) => {
      if (name.value !== 'skip' && name.value !== 'include') return;
      for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return [...names];
};

const operationOf = ({ operations }: Prepared, name: string | null | undefined) => {
  if (name !== null && name !== undefined) {
    const found = operations.find((operation) => operation.name?.value === name);
    return found ?? new GraphQLError(`Unknown operation named "${name}".`);
  }
  const [first, second] = operations;
  if (!first) return new GraphQLError('Must provide an operation.');
  return second
    ? new GraphQLError('Must provide operation name if query contains multiple operations.')
    : first;
};

/**
 * Makes an executor that does the same as `execute` of graphql-js, but plans each operation only once. A plan depends
 * only on the document and on the variables of `@skip` and `@include`. It is made level by level, when the first values
 * that need a level arrive, and cached for later executions.
 */
export const createExecutor = (
  schema: GraphQLSchema,
  {
    hideSuggestions = false,
    mayKeep = () => true,
    turnsOf = () => undefined,
    maxSize = Infinity,
  }: ExecutorOptions = {},
): Execute => {
  assertValidSchema(schema);
  const documents = new WeakMap<DocumentNode, Prepared>();
  const introspectionRoom = createIntrospectionRoom(schema);
  let lastId = 0;
  const plans = new LRUCache<string, KeptPlan>({
    maxSize: maxFields,
    maxEntrySize: maxFieldsOfOne,
    sizeCalculation: ({ size }) => size,
  });

  const prepare = (document: DocumentNode): Prepared => {
    const known = documents.get(document);
    if (known) return known;
    const operations: OperationDefinitionNode[] = [];
    const fragments: Record<string, FragmentDefinitionNode> = Object.create(null);
    for (const node of document.definitions) {
      if (node.kind === Kind.OPERATION_DEFINITION) operations.push(node);
      if (node.kind === Kind.FRAGMENT_DEFINITION) fragments[node.name.value] = node;
    }
    lastId += 1;
    const conditions = conditionsOf(document);
    const prepared = { id: lastId, operations, fragments, conditions, mayKeep: mayKeep(document) };
    documents.set(document, prepared);
    return prepared;
  };

  const createPlan = (
    key: string,
    { fragments, mayKeep: isKept }: Prepared,
    operation: OperationDefinitionNode,
  ): OperationPlan => {
    const plan: KeptPlan = {
      operation,
      fragments,
      root: undefined,
      size: 1 + Math.ceil((operation.loc?.source.body.length ?? 0) / charactersOfOneField),
      grow: (fields) => {
        plan.size += fields;
        // Set again so that the cache counts the new size.
        if (isKept) plans.set(key, plan);
      },
    };
    return plan;
  };

  return ({ document, operationName, variableValues, rootValue, contextValue }) => {
    const prepared = prepare(document);
    const operation = operationOf(prepared, operationName);
    if (operation instanceof GraphQLError) return { errors: [operation] };
    const { variables, coerced, errors } = coerceVariables(
      schema,
      operation.variableDefinitions,
      variableValues ?? {},
      // Each error quotes the whole value: for the longest body, the 50 errors of graphql-js would take half a second.
      { maxErrors: 10, hideSuggestions },
    );
    if (errors) return { errors };
    const conditions = prepared.conditions.map((name) => coerced[name]);
    const key = `${prepared.id} ${operation.name?.value ?? ''} ${conditions}`;
    const plan = plans.get(key) ?? createPlan(key, prepared, operation);
    return executeOperation(
      new Run({
        ...{ schema, plan, variableValues: variables, rootValue, contextValue },
        ...{ maxSize, introspectionRoom, turns: turnsOf(contextValue) },
      }),
    );
  };
};

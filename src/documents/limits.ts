import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type VariableDefinitionNode,
} from 'graphql';
import { createMeasure } from './measure.ts';

/** The limits of one request. */
export interface Limits {
  /** The most tokens of a document: names, punctuators and values. */
  readonly tokens: number;
  /**
   * The most fields that the response may have. Each field counts 1, and so does each identifier given to `node` and
   * `nodes`. Fields below a list count 10 times, below the list of all pipes of an organization 100 times, and below a
   * list by identifiers once for each identifier.
   */
  readonly cost: number;
}

/** Mutations run one after another, and each is a write. */
const maxMutationFields = 5;

/** Each identifier may need an upstream call of its own. */
const maxNodeIds = 100;

const words = {
  bodyBytes: 'The body may have at most # bytes',
  tokens: 'The document may have at most # tokens',
  comparisons: 'The fields with equal names may need at most # comparisons',
  mutationFields: 'The operation may select at most # mutations',
  cost: 'The operation may cost at most #',
  nodeIds: 'The operation may name at most # node identifiers',
} as const;

export type LimitName = keyof typeof words;

/** The settings that raise the limits. */
const settings: Readonly<Partial<Record<LimitName, string>>> = {
  tokens: 'MAX_TOKENS',
  cost: 'MAX_COST',
};

/** The error for exceeding a limit, with the actual number if it is known. */
export const limitError = (
  limit: LimitName,
  allowed: number,
  found?: { readonly got: number; readonly node: OperationDefinitionNode },
): GraphQLError => {
  const got = found && Number.isSafeInteger(found.got) ? `; this one comes to ${found.got}` : '';
  const setting = settings[limit];
  return new GraphQLError(
    `${words[limit].replace('#', String(allowed))}, fragments included${got}.`,
    {
      nodes: found?.node ?? null,
      extensions: { code: 'LIMIT_EXCEEDED', limit, allowed, ...(setting && { setting }) },
    },
  );
};

type Found = readonly [limit: LimitName, got: number, allowed: number];

const firstBeyond = (
  found: readonly Found[],
  node: OperationDefinitionNode,
): GraphQLError | undefined => {
  for (const [name, got, allowed] of found) {
    if (got > allowed) return limitError(name, allowed, { got, node });
  }
  return undefined;
};

/** The error for the first limit that an operation of the document exceeds; undefined if it exceeds none. */
export const checkLimits = (
  schema: GraphQLSchema,
  document: DocumentNode,
  limits: Limits,
): readonly GraphQLError[] => {
  const measure = createMeasure(schema, document);
  for (const node of document.definitions) {
    if (node.kind !== Kind.OPERATION_DEFINITION) continue;
    const extent = measure(node);
    const isMutation = node.operation === OperationTypeNode.MUTATION;
    const beyond = firstBeyond(
      [
        ['mutationFields', isMutation ? extent.fields : 0, maxMutationFields],
        ['nodeIds', extent.nodeIds, maxNodeIds],
        ['cost', extent.cost, limits.cost],
      ],
      node,
    );
    if (beyond) return [beyond];
  }
  return [];
};

const isList = ({ type }: VariableDefinitionNode): boolean =>
  type.kind === Kind.LIST_TYPE ||
  (type.kind === Kind.NON_NULL_TYPE && type.type.kind === Kind.LIST_TYPE);

/** An operation, with the request's values for its variables before coercion. */
export interface Asked {
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
  readonly variableValues?: Readonly<Record<string, unknown>> | null | undefined;
}

/**
 * The error for the limit that an operation exceeds because of lists in its variables; undefined if it exceeds none.
 * Only the lengths of the lists count, so nothing is coerced.
 */
export const checkVariableLimits = (
  schema: GraphQLSchema,
  { document, operationName, variableValues }: Asked,
  limits: Limits,
): GraphQLError | undefined => {
  const operation = getOperationAST(document, operationName);
  if (!operation?.variableDefinitions?.some(isList)) return undefined;
  const { nodeIds, cost } = createMeasure(schema, document, variableValues ?? {})(operation);
  return firstBeyond(
    [
      ['nodeIds', nodeIds, maxNodeIds],
      ['cost', cost, limits.cost],
    ],
    operation,
  );
};

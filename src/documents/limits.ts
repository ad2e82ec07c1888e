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

/** What one request may ask for. */
export interface Limits {
  readonly bodyBytes: number;
  readonly headerBytes: number;
  /** Words, signs and values of a document. */
  readonly tokens: number;
  /** Levels of fields; those at the root are level 1. */
  readonly depth: number;
  readonly aliases: number;
  readonly rootFields: number;
  readonly mutationFields: number;
  readonly directives: number;
  /**
   * Objects that the answer may come to hold: each field that yields objects is 1. Below a list each counts 10 times,
   * below a list of what is below another list 100 times, below a list about the schema 4 times, and below a list by
   * identifiers as often as there are identifiers.
   */
  readonly cost: number;
  /** Identifiers given to `node` and `nodes`. */
  readonly nodeIds: number;
}

/** Times that an operation may ask for `__schema` or `__type`; tools need one. */
const maxIntrospections = 2;

export type LimitName = keyof Limits | 'introspections';

const words: Readonly<Record<LimitName, string>> = {
  bodyBytes: 'The body may have at most # bytes',
  headerBytes: 'The headers may have at most # bytes together',
  tokens: 'The document may have at most # tokens',
  depth: 'The operation may nest fields at most # levels deep',
  aliases: 'The operation may have at most # aliases',
  rootFields: 'The operation may select at most # root fields',
  mutationFields: 'The operation may select at most # mutations',
  directives: 'The operation may have at most # directives',
  cost: 'The operation may cost at most # objects',
  nodeIds: 'The operation may name at most # node identifiers',
  introspections: 'The operation may ask for __schema and __type at most # times',
};

/** The refusal of what goes beyond a limit; says how far where that can be counted. */
export const limitError = (
  limit: LimitName,
  allowed: number,
  came?: { readonly got: number; readonly node: OperationDefinitionNode },
): GraphQLError => {
  const got = came && Number.isSafeInteger(came.got) ? `; this one comes to ${came.got}` : '';
  return new GraphQLError(
    `${words[limit].replace('#', String(allowed))}, fragments included${got}.`,
    {
      nodes: came?.node ?? null,
      extensions: { code: 'LIMIT_EXCEEDED', limit, allowed },
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

/** The first limit that an operation of the document goes beyond; nothing where all keep them. */
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
        ['depth', extent.depth, limits.depth],
        ['aliases', extent.aliases, limits.aliases],
        isMutation
          ? ['mutationFields', extent.fields, limits.mutationFields]
          : ['rootFields', extent.fields, limits.rootFields],
        ['directives', extent.directives, limits.directives],
        ['introspections', extent.introspections, maxIntrospections],
        ['nodeIds', extent.nodeIds, limits.nodeIds],
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

/** An operation with the values of a request's variables, not coerced. */
export interface Asked {
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
  readonly variableValues?: Readonly<Record<string, unknown>> | null | undefined;
}

/**
 * The limit that an operation of a valid document goes beyond by the lists in its variables, if any. Nothing of
 * the lists is coerced: only their lengths count.
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
      ['nodeIds', nodeIds, limits.nodeIds],
      ['cost', cost, limits.cost],
    ],
    operation,
  );
};

import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
} from 'graphql';

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
  /** Objects that the answer may come to hold: each field that yields objects is 1, below a list 10. */
  readonly cost: number;
}

export type LimitName = keyof Limits;

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

/** A selection set's extent, with its fragments put in place. */
interface Extent {
  readonly fields: number;
  readonly depth: number;
  readonly aliases: number;
  readonly directives: number;
  readonly cost: number;
}

const nothing: Extent = { fields: 0, depth: 0, aliases: 0, directives: 0, cost: 0 };

const beside = (one: Extent, other: Extent): Extent => ({
  fields: one.fields + other.fields,
  depth: Math.max(one.depth, other.depth),
  aliases: one.aliases + other.aliases,
  directives: one.directives + other.directives,
  cost: one.cost + other.cost,
});

/** Objects that a list is taken to hold. */
const listFactor = 10;

/**
 * Measures the operations of a document, each fragment once however often it is spread: the numbers of a
 * bomb are great, and measuring it is no work.
 */
const createMeasure = (schema: GraphQLSchema, document: DocumentNode) => {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  }
  const measured = new Map<string, Extent>();

  const ofFragment = (name: string): Extent => {
    const known = measured.get(name);
    if (known) return known;
    // A fragment within itself adds nothing; validation refuses it.
    measured.set(name, nothing);
    const fragment = fragments.get(name);
    if (!fragment) return nothing;
    const type = schema.getType(fragment.typeCondition.name.value);
    const inner = ofSelection(fragment.selectionSet, type);
    const extent = beside(inner, { ...nothing, directives: fragment.directives?.length ?? 0 });
    measured.set(name, extent);
    return extent;
  };

  const ofSelection = (
    { selections }: SelectionSetNode,
    type: GraphQLNamedType | undefined,
  ): Extent => {
    let extent = nothing;
    for (const node of selections) {
      const directives = node.directives?.length ?? 0;
      if (node.kind === Kind.FRAGMENT_SPREAD) {
        extent = beside(extent, ofFragment(node.name.value));
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        const { typeCondition } = node;
        const inner = typeCondition ? schema.getType(typeCondition.name.value) : type;
        extent = beside(extent, ofSelection(node.selectionSet, inner));
      } else {
        const name = node.name.value;
        const own = { ...nothing, fields: 1, depth: 1, aliases: node.alias ? 1 : 0 };
        if (node.selectionSet) {
          const field =
            isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
          const inner = ofSelection(node.selectionSet, field && getNamedType(field.type));
          const many = field !== undefined && isListType(getNullableType(field.type));
          const yields = field !== undefined && isCompositeType(getNamedType(field.type));
          // Tools ask about the schema in depth, and no upstream call comes of it.
          const deep = name !== '__schema' && name !== '__type';
          extent = beside(extent, {
            ...own,
            depth: 1 + (deep ? inner.depth : 0),
            aliases: own.aliases + inner.aliases,
            directives: inner.directives,
            cost: (yields ? 1 : 0) + inner.cost * (many ? listFactor : 1),
          });
        } else extent = beside(extent, own);
      }
      if (directives > 0) extent = { ...extent, directives: extent.directives + directives };
    }
    return extent;
  };

  return (operation: OperationDefinitionNode): Extent => {
    const inner = ofSelection(
      operation.selectionSet,
      schema.getRootType(operation.operation) ?? undefined,
    );
    return beside(inner, { ...nothing, directives: operation.directives?.length ?? 0 });
  };
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
    const mutation = node.operation === OperationTypeNode.MUTATION;
    const found: readonly (readonly [LimitName, number])[] = [
      ['depth', extent.depth],
      ['aliases', extent.aliases],
      [mutation ? 'mutationFields' : 'rootFields', extent.fields],
      ['directives', extent.directives],
      ['cost', extent.cost],
    ];
    for (const [name, got] of found) {
      if (got > limits[name]) return [limitError(name, limits[name], { got, node })];
    }
  }
  return [];
};

import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type ValueNode,
  type VariableDefinitionNode,
  visit,
} from 'graphql';

/** Values of variables as a request brings them, not coerced. */
type Values = Readonly<Record<string, unknown>>;

/** How many items a list argument has once it is coerced; 0 for one that is absent. */
type LengthOf = (value: ValueNode | undefined) => number;

const ofLiteral = (value: ValueNode | undefined): number => {
  if (value === undefined || value.kind === Kind.NULL) return 0;
  // One item that is no list stands for a list of it.
  return value.kind === Kind.LIST ? value.values.length : 1;
};

const ofGiven = (value: unknown): number => {
  if (value === null) return 0;
  return Array.isArray(value) ? value.length : 1;
};

/**
 * Counts the items of list arguments.
 *
 * @param values of the variables; without them each variable counts as one item
 */
const createLengthOf = (
  definitions: readonly VariableDefinitionNode[],
  values: Values | undefined,
): LengthOf => {
  const defaults = new Map(
    definitions.map(({ variable, defaultValue }) => [variable.name.value, defaultValue]),
  );
  return (value) => {
    if (value?.kind !== Kind.VARIABLE) return ofLiteral(value);
    if (!values) return 1;
    const name = value.name.value;
    const given = Object.hasOwn(values, name) ? values[name] : undefined;
    return given === undefined ? ofLiteral(defaults.get(name)) : ofGiven(given);
  };
};

/** What a selection set comes to, with its fragments put in place. */
interface Extent {
  /** Fields directly in it. */
  readonly fields: number;
  /** See `Limits.cost`. */
  readonly cost: number;
  /** Identifiers given to `node` and `nodes`. */
  readonly nodeIds: number;
}

const nothing: Extent = { fields: 0, cost: 0, nodeIds: 0 };

const beside = (one: Extent, other: Extent): Extent => ({
  fields: one.fields + other.fields,
  cost: one.cost + other.cost,
  nodeIds: one.nodeIds + other.nodeIds,
});

/** Items that a list is taken to hold. */
const listFactor = 10;

/** Lists that hold what a list has below each item of another one, by their type and name. */
const listsOfLists = new Set(['OrganizationPipes.items']);

const metaFields = [SchemaMetaFieldDef, TypeMetaFieldDef, TypeNameMetaFieldDef];

type Field = GraphQLField<unknown, unknown>;

const fieldOf = (type: GraphQLNamedType | undefined, name: string): Field | undefined => {
  const own = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
  return own ?? metaFields.find((field) => field.name === name);
};

const asksForSchema = (name: string): boolean =>
  name === SchemaMetaFieldDef.name || name === TypeMetaFieldDef.name;

/** Whether `__schema` or `__type` stands anywhere in a document. */
export const mentionsSchema = (document: DocumentNode): boolean => {
  let found = false;
  visit(document, {
    Field: ({ name }) => {
      found ||= asksForSchema(name.value);
    },
  });
  return found;
};

const argumentOf = (node: FieldNode, name: string) =>
  node.arguments?.find((argument) => argument.name.value === name)?.value;

/**
 * Measures the operations of a document, each fragment once however often it is spread: the numbers of a
 * bomb are great, and measuring it is no work.
 *
 * @param values of variables; without them a list in a variable counts as one of length 1
 */
export const createMeasure = (schema: GraphQLSchema, document: DocumentNode, values?: Values) => {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  }
  const measured = new Map<string, Extent>();
  let lengthOf = createLengthOf([], values);

  const ofFragment = (name: string): Extent => {
    const known = measured.get(name);
    if (known) return known;
    // A fragment within itself adds nothing; validation refuses it.
    measured.set(name, nothing);
    const fragment = fragments.get(name);
    if (!fragment) return nothing;
    const type = schema.getType(fragment.typeCondition.name.value);
    const extent = ofSelection(fragment.selectionSet, type);
    measured.set(name, extent);
    return extent;
  };

  /** How many objects a list holds of which each is selected from: as many as it is given identifiers, if it is. */
  const factorOf = (field: Field, node: FieldNode, type: GraphQLNamedType | undefined): number => {
    if (!isListType(getNullableType(field.type))) return 1;
    const list = field.args.find(({ type }) => isListType(getNullableType(type)));
    if (list) return lengthOf(argumentOf(node, list.name));
    return listsOfLists.has(`${type?.name}.${field.name}`) ? listFactor ** 2 : listFactor;
  };

  const ofField = (node: FieldNode, type: GraphQLNamedType | undefined): Extent => {
    const field = fieldOf(type, node.name.value);
    const own = lengthOf(argumentOf(node, 'nodeId')) + lengthOf(argumentOf(node, 'nodeIds'));
    const inner = node.selectionSet
      ? ofSelection(node.selectionSet, field && getNamedType(field.type))
      : nothing;
    const factor = field ? factorOf(field, node, type) : 1;
    return {
      fields: 1,
      cost: 1 + own + inner.cost * factor,
      nodeIds: own + inner.nodeIds,
    };
  };

  const ofSelection = (
    { selections }: SelectionSetNode,
    type: GraphQLNamedType | undefined,
  ): Extent => {
    let extent = nothing;
    for (const node of selections) {
      if (node.kind === Kind.FRAGMENT_SPREAD) {
        extent = beside(extent, ofFragment(node.name.value));
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        const { typeCondition } = node;
        const inner = typeCondition ? schema.getType(typeCondition.name.value) : type;
        extent = beside(extent, ofSelection(node.selectionSet, inner));
      } else extent = beside(extent, ofField(node, type));
    }
    return extent;
  };

  return (operation: OperationDefinitionNode): Extent => {
    if (values) {
      // Defaults differ from operation to operation, and with them what fragments come to.
      measured.clear();
      lengthOf = createLengthOf(operation.variableDefinitions ?? [], values);
    }
    const root = schema.getRootType(operation.operation) ?? undefined;
    return ofSelection(operation.selectionSet, root);
  };
};
